// W1 on XState v5, written the way its manual teaches: a plan machine whose steps are child actors.
// Prints, per workload and tab-separated: name, nanoseconds, checksum.
'use strict';

const { assign, createActor, sendParent, sendTo, setup } = require('xstate');

const STEPS = 10_000;

const step = setup({
  actions: { report: sendParent(({ context }) => ({ type: 'DONE', index: context.index })) },
}).createMachine({
  context: ({ input }) => ({ index: input.index }),
  initial: 'PENDING',
  states: {
    PENDING: { on: { START: 'STARTING' } },
    STARTING: { on: { RUNNING: 'COMPLETE' } },
    COMPLETE: { entry: 'report', type: 'final' },
  },
});

const plan = setup({ actors: { step } }).createMachine({
  context: ({ spawn }) => ({
    sum: 0,
    cycle: 1,
    done: 0,
    steps: Array.from({ length: STEPS }, (_, index) => spawn('step', { id: `pod-${index}`, input: { index } })),
  }),
  initial: 'PENDING',
  on: {
    START: { actions: sendTo(({ context, event }) => context.steps[event.index], { type: 'START' }) },
    RUNNING: { actions: sendTo(({ context, event }) => context.steps[event.index], { type: 'RUNNING' }) },
    CYCLE: { actions: assign({ cycle: ({ event }) => event.cycle }) },
    DONE: {
      target: '.IN_PROGRESS',
      actions: assign({
        sum: ({ context, event }) => (context.sum + Math.imul(context.cycle, event.index + 1)) >>> 0,
        done: ({ context }) => context.done + 1,
      }),
    },
  },
  states: {
    PENDING: {},
    IN_PROGRESS: { always: { guard: ({ context }) => context.done === STEPS, target: 'COMPLETE' } },
    COMPLETE: { type: 'final' },
  },
});

function walk(serial) {
  const actor = createActor(plan);
  actor.start();
  const order = Array.from({ length: STEPS }, (_, index) => index);
  const cycles = serial ? order.map((index) => [index]) : [order];
  cycles.forEach((candidates, at) => {
    actor.send({ type: 'CYCLE', cycle: at + 1 });
    for (const index of candidates) actor.send({ type: 'START', index });
    for (const index of candidates) actor.send({ type: 'RUNNING', index });
  });
  const snapshot = actor.getSnapshot();
  if (snapshot.value !== 'COMPLETE') throw new Error(`the plan ended ${JSON.stringify(snapshot.value)}`);
  return snapshot.context.sum;
}

for (const [name, serial] of [['W1 parallel 1x10000', false], ['W1 serial 1x10000', true]]) {
  const start = process.hrtime.bigint();
  const sum = walk(serial);
  console.log(`${name}\t${process.hrtime.bigint() - start}\t${sum}`);
}
