"""The workloads W0 to W3 on SimPy, written the way its manual teaches: one process per moving thing.

Prints, per workload and tab-separated: name, nanoseconds, checksum.
"""

import bisect
import time

import simpy

MASK = 0xFFFFFFFF


def mix(seed, pod, attempt, what):
    word = (seed + pod * 0x9E3779B1 + attempt * 0x85EBCA77 + what * 0xC2B2AE3D) & MASK
    word ^= word >> 16
    word = word * 0x85EBCA6B & MASK
    word ^= word >> 13
    word = word * 0xC2B2AE35 & MASK
    return word ^ word >> 16


def w0(timers, events):
    env = simpy.Environment()
    left = events
    total = 0
    done = env.event()

    def timer(number):
        nonlocal left, total
        firings = 0
        while True:
            yield env.timeout(mix(1, number, firings, 0) % 1000 + 1)
            if left == 0:
                return
            total = (total + (number + 1) * env.now) & MASK
            firings += 1
            left -= 1
            if left == 0:
                done.succeed()

    for number in range(timers):
        env.process(timer(number))
    env.run(until=done)
    return total


def w1(serial, steps):
    """One phase; a step is a process that starts, then completes."""
    env = simpy.Environment()
    total = 0
    cycle = 0
    status = ["PENDING"] * steps

    def step(number):
        nonlocal total
        status[number] = "STARTING"
        yield env.timeout(0)
        status[number] = "COMPLETE"
        total = (total + cycle * (number + 1)) & MASK

    def plan():
        nonlocal cycle
        if serial:
            for number in range(steps):
                cycle += 1
                yield env.process(step(number))
        else:
            cycle += 1
            yield simpy.AllOf(env, [env.process(step(number)) for number in range(steps)])

    env.run(until=env.process(plan()))
    assert all(word == "COMPLETE" for word in status)
    return total


class Stop(Exception):
    """The rollout is over."""


def w2(pods, seed):
    """Answers events, makespan and checksum."""
    env = simpy.Environment()
    agents = (pods + 3) // 4
    cpu = [16] * agents
    mem = [64] * agents
    need = [(1 + pod % 4, 4 + pod * 7 % 9) for pod in range(pods)]
    state = ["WANT"] * pods
    has = [None] * pods
    want = [0] * pods
    attempt = [0] * pods
    agent_of = [0] * pods
    failures = [0] * pods
    done = [False] * pods
    life = [None] * pods
    pending = list(range(pods))
    stage, phase, current, left = 0, 0, range(pods), pods
    phases = (pods + 9) // 10
    ready = 0
    events = 0
    total = 0

    def wait(delay):
        at = env.now + delay
        return env.timeout(delay + 1 if at % 1000 == 0 else delay)

    def free(pod):
        cpu[agent_of[pod]] += need[pod][0]
        mem[agent_of[pod]] += need[pod][1]

    def wants_place(pod):
        state[pod] = "WANT"
        at = bisect.bisect_left(pending, pod)
        if at == len(pending) or pending[at] != pod:
            pending.insert(at, pod)

    def run(pod):
        nonlocal events, ready, left
        me = attempt[pod]
        try:
            yield wait(500 + mix(seed, pod, me, 0) % 4500)
            events += 1
            if mix(seed, pod, me, 1) % 1000 >= 50:
                state[pod] = "RUNNING"
                since = env.now
                yield wait(200 + mix(seed, pod, me, 2) % 1800)
                events += 1
                state[pod] = "READY"
                ready += 1
                failures[pod] = 0
                if has[pod] == stage and pod in current and not done[pod]:
                    done[pod] = True
                    left -= 1
                if mix(seed, pod, me, 3) % 1000 >= 100:
                    return
                yield wait(since + 10000 + mix(seed, pod, me, 4) % 110000 - env.now)
                events += 1
                ready -= 1
        except simpy.Interrupt:
            return
        free(pod)
        failures[pod] += 1
        state[pod] = "BACKOFF"
        yield wait(1000 << min(failures[pod] - 1, 5))
        events += 1
        wants_place(pod)

    def kill(pod):
        nonlocal events, ready
        if life[pod].is_alive:
            life[pod].interrupt()
        if state[pod] == "READY":
            ready -= 1
        state[pod] = "KILLING"
        yield wait(500 + mix(seed, pod, attempt[pod], 5) % 1000)
        events += 1
        free(pod)
        wants_place(pod)

    def offers():
        nonlocal events, stage, phase, current, left, total
        while True:
            now = env.now
            events += 1
            if left == 0:
                if stage == 0:
                    stage = 1
                else:
                    phase += 1
                if phase < phases:
                    current = range(phase * 10, min(pods, phase * 10 + 10))
                    left = len(current)
                    for pod in current:
                        done[pod] = False
                        want[pod] = 1
                        at = bisect.bisect_left(pending, pod)
                        if at == len(pending) or pending[at] != pod:
                            pending.insert(at, pod)
                else:
                    current, left = range(0), -1
            if stage == 1 and phase >= phases and ready == pods:
                total = (total + now) & MASK
                return
            work = pending[:]
            pending.clear()
            for pod in work:
                if state[pod] in ("STAGING", "RUNNING", "READY"):
                    if has[pod] != want[pod]:
                        env.process(kill(pod))
                elif state[pod] == "WANT":
                    want_cpu, want_mem = need[pod]
                    for agent in range(agents):
                        if cpu[agent] >= want_cpu and mem[agent] >= want_mem:
                            cpu[agent] -= want_cpu
                            mem[agent] -= want_mem
                            agent_of[pod] = agent
                            has[pod] = want[pod]
                            attempt[pod] += 1
                            state[pod] = "STAGING"
                            total = (total + (pod + 1) * (now // 1000 + 1) * (agent + 1)) & MASK
                            life[pod] = env.process(run(pod))
                            break
                    else:
                        pending.append(pod)
            yield env.timeout(1000)

    env.run(until=env.process(offers()))
    return events, env.now, total


def report(name, work):
    start = time.perf_counter_ns()
    checksum = work()
    print(f"{name}\t{time.perf_counter_ns() - start}\t{checksum}", flush=True)


def sweep():
    total = 0
    for seed in range(1, 1001):
        total = (total + w2(50, seed)[2]) & MASK
    return total


report("W0", lambda: w0(1000, 1_000_000))
report("W1 parallel 1x10000", lambda: w1(False, 10_000))
report("W1 serial 1x10000", lambda: w1(True, 10_000))
report("W2", lambda: w2(1000, 1)[2])
report("W3", sweep)
