// Renders templates with Go's own engine, for the comparison in tests/kudo/templates.rs.
//
// Reads `{"context": {...}, "templates": ["...", ...]}` from standard input and writes a JSON array with `{"out": "..."}` or
// `{"error": "..."}` for each template.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime/debug"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v2"
)

type request struct {
	Context   map[string]interface{} `json:"context"`
	Pipes     map[string]string      `json:"pipes"`
	Templates []string               `json:"templates"`
}

type answer struct {
	Out   *string `json:"out,omitempty"`
	Error *string `json:"error,omitempty"`
}

func functions() template.FuncMap {
	functions := sprig.TxtFuncMap()
	for _, name := range []string{"env", "expandenv", "base", "dir", "clean", "ext", "isAbs"} {
		delete(functions, name)
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		out, err := yaml.Marshal(value)
		return string(out), err
	}
	return functions
}

func render(text string, context map[string]interface{}) answer {
	failed := func(problem string) answer { return answer{Error: &problem} }
	parsed, err := template.New("f.yaml").Option("missingkey=error").Funcs(functions()).Parse(text)
	if err != nil {
		return failed("parse: " + err.Error())
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, context); err != nil {
		return failed(err.Error())
	}
	whole := out.String()
	return answer{Out: &whole}
}

// Calls may change maps of the context, so each template gets a context of its own.
func fresh(asked request) map[string]interface{} {
	bytes, err := json.Marshal(asked.Context)
	if err != nil {
		panic(err)
	}
	context := map[string]interface{}{}
	if err := json.Unmarshal(bytes, &context); err != nil {
		panic(err)
	}
	context["Pipes"] = asked.Pipes
	return context
}

func main() {
	// A map that holds itself is printed until the stack is full.
	debug.SetMaxStack(64 << 20)
	// KUDO has a version of the package that folds no lines.
	yaml.FutureLineWrap()
	var asked request
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(asked.Templates))
	for _, text := range asked.Templates {
		answers = append(answers, render(text, fresh(asked)))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
