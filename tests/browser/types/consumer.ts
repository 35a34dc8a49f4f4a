// What a strict TypeScript project may write against the package's declarations. It is compiled, never run.

import init, {
  Simulation,
  check,
  examples,
  version,
  type AdvanceResult,
  type CheckResult,
  type Event,
  type Genesis,
  type Input,
  type InputResult,
  type PlanView,
  type View,
  type Why,
} from "planarium";

await init();
const genesis: Partial<Genesis> = { seed: 7 };
const empty = new Simulation(genesis as Genesis);
const world: Simulation = Simulation.fromExample("hello-world");

const inputs: Input[] = [
  { kind: "plan", service: "hello-world", plan: "deploy", op: "interrupt" },
  { kind: "fault", fault: "agent-lost", target: { agent: "a1" } },
];
for (const input of inputs) {
  const result: InputResult = world.apply(input);
  if (!result.ok) console.log(result.code, result.reason);
}

const advanced: AdvanceResult = world.runUntil("deploy=COMPLETE", 600_000);
const view: View = world.view();
const plans: PlanView[] = view.services.flatMap((service) => service.plans);
const words: string[] = plans.flatMap((plan) => plan.phases).flatMap((phase) => phase.steps).map((step) => step.status);

const events: Event[] = world.events(0);
const launched = events.filter((event) => event.kind === "launched");
const tasks: string[] = launched.map((event) => event.task);

const why: Why | null = world.why("hello-world", "deploy");
const report: CheckResult = check({ dialect: "sdk", files: { "svc.yml": "name: x" } });
const lines: number[] = report.diagnostics.map((finding) => finding.line);
const ids: string[] = examples().map((example) => example.id);

// @ts-expect-error there is no such input
world.apply({ kind: "no-such-input" });
// @ts-expect-error a plan command needs a plan
world.apply({ kind: "plan", service: "hello-world", op: "interrupt" });
// @ts-expect-error names are checked
view.no_such_field;

export { advanced, empty, ids, lines, tasks, version, why, words };
