//! The systems and layers that inputs need.
//!
//! *Knows*: which system a definition or a path belongs to. *Must not know*: any system's rules.

use crate::systems::DIALECTS;
use crate::{Genesis, layers, pieces};
use planarium_protocol::Input;
use planarium_protocol::input::LoadService;
use std::collections::BTreeSet;

/// A set of systems and layers, by their words.
#[derive(Clone, Debug, Default)]
pub struct Needs(BTreeSet<&'static str>);

impl Needs {
    /// Adds everything that this build can run.
    pub fn everything(&mut self) {
        for dialect in DIALECTS {
            self.system(dialect.word);
        }
        self.0.extend(layers::WORDS);
    }

    /// Adds a system by the word of its dialect, and the layers that it runs on. An unknown word adds nothing.
    pub fn system(&mut self, word: &str) {
        if let Some(dialect) = DIALECTS.iter().find(|dialect| dialect.word == word) {
            self.0.insert(dialect.word);
            self.0.extend(dialect.needs);
        }
    }

    /// Adds the layer that a world has from the beginning.
    pub fn genesis(&mut self, genesis: &Genesis) {
        if genesis.mesos {
            self.0.insert("mesos");
        }
    }

    /// Adds the system that reads a definition.
    pub fn definition(&mut self, load: &LoadService) {
        self.system(dialect_of(load));
    }

    /// Adds the systems and layers that may take part in carrying out an input.
    pub fn input(&mut self, input: &Input) {
        match input {
            Input::LoadService(load) | Input::UpdateService(load) => self.definition(load),
            Input::Call(call) => {
                let segments = crate::input::segments(call);
                let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
                self.path(&parts);
            }
            _ => self.0.extend(layers::needed_for(input)),
        }
    }

    /// Adds the systems and layers whose API contains a path, in decoded segments.
    fn path(&mut self, parts: &[&str]) {
        let owners = DIALECTS.iter().filter(|dialect| (dialect.owns)(parts));
        owners.for_each(|dialect| self.system(dialect.word));
        self.0.extend(layers::owners_of(parts));
    }

    /// Returns those whose code is not there yet.
    pub fn absent(&self) -> Vec<&'static str> {
        self.0.iter().copied().filter(|word| !pieces::is_there(word)).collect()
    }
}

/// Returns the dialect that a definition is read in.
pub(crate) fn dialect_of(load: &LoadService) -> &str {
    match load.dialect.as_str() {
        "" | "auto" => crate::detect_dialect(&load.files),
        word => word,
    }
}
