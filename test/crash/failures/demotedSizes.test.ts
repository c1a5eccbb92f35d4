/** Sizes that are demoted for a region: their machines do not boot, or Azure takes them soon after their start. */
import { describe, expect, it } from 'vitest'
import { interrupt } from '../../../shared/flows/lifecycle/interrupt.ts'
import { clusterId, uid, vmSizeName } from '../../../shared/model/ids.ts'
import type { InstanceType } from '../../../shared/model/instanceType.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import { problem } from '../../../shared/model/problem.ts'
import { demotedSizes } from '../../../shared/model/sizeReport.ts'
import { HOUR, MINUTE, SECOND } from '../../builders/clock.ts'
import { instanceType } from '../../builders/instanceType.ts'
import { nodeClass } from '../../builders/nodeClass.ts'
import { pod } from '../../builders/pod.ts'
import { MODES } from '../everyWrite.ts'
import { createSimulation, type Simulation } from '../simulation.ts'

const SIGNAL = new AbortController().signal
const NEW = 'Standard_D4as_v6'
const OLD = 'Standard_D4ds_v5'
const TICK = 2 * SECOND

function sizes(over: Partial<Parameters<typeof instanceType>[0]> = { spotPrice: null }): readonly InstanceType[] {
  return [instanceType({ name: NEW, price: 0.2, ...over }), instanceType({ name: OLD, price: 0.3, ...over })]
}

type Cluster = { readonly simulation: Simulation; readonly bought: string[] }

/** A cluster. `region`: the cluster with which it shares subscription and region. */
function cluster(name: string, region?: Cluster, instanceTypes = sizes()): Cluster {
  const bought: string[] = []
  const shared = region?.simulation.world.start().ports.offerings
  const simulation = createSimulation({
    tickMs: TICK,
    instanceTypes,
    ...(region === undefined ? {} : { clock: region.simulation.clock }),
    between: (deps) => ({
      ...deps,
      cluster: clusterId(name),
      offerings: shared ?? deps.offerings,
      cloud: {
        ...deps.cloud,
        launch: async (request, signal) => {
          const answer = await deps.cloud.launch(request, signal)
          if (answer.ok) bought.push(request.candidate.choice.size)
          return answer
        },
      },
    }),
  })
  // Each cluster has a NodeClass of its own.
  simulation.world.objects.put('nodeClass', nodeClass({ meta: { uid: uid(name) } }))
  return { simulation, bought }
}

/** Azure takes all requests for machines of the size, or of any size, and the machines do not boot. */
function neverBoots({ simulation }: Cluster, size?: string): void {
  const refusal = () => ({ problem: problem('AZURE.FAILED', 'OSProvisioningTimedOut'), unavailable: [], then: 'next' as const })
  simulation.world.machines.refuse(size === undefined ? {} : { size: vmSizeName(size) }, { stage: 'boot', refusal })
}

let pods = 0

/** Adds a pod that needs a machine of its own, and lets time pass until it runs. */
async function runPod({ simulation }: Cluster, limitMs = 4 * MINUTE, size?: string): Promise<boolean> {
  const { objects, clock } = simulation.world
  const name = `p${pods++}`
  const times = { createdAt: clock.now(), unschedulableSince: clock.now() }
  objects.put('pod', pod({ name, cpus: 3, ...times, ...(size === undefined ? {} : { nodeSelector: { [LABEL.instanceType]: size } }) }))
  const runs = (): boolean => objects.all('pod').some((each) => each.key.endsWith(`/${name}`) && each.nodeName !== undefined)
  return (await simulation.runUntil(runs, limitMs)) !== undefined
}

async function pass({ simulation }: Cluster, ms: number): Promise<void> {
  await simulation.runUntil(() => false, ms)
}

async function demotedIn({ simulation }: Cluster) {
  const { ports } = simulation.world
  return demotedSizes(await ports.offerings.reports(simulation.clock.now(), SIGNAL), simulation.clock.now())
}

/** Two pods, three minutes apart: each gets a machine that does not boot, and then another one. */
async function twoFailures(first: Cluster): Promise<void> {
  expect(await runPod(first)).toBe(true)
  await pass(first, 3 * MINUTE)
  expect(await runPod(first)).toBe(true)
  await pass(first, MINUTE)
}

describe('F18: a size of which two machines do not boot', () => {
  it('comes after one that costs half as much again in every cluster of the region, is taken where nothing else fits, and comes back later', async () => {
    const first = cluster('first')
    const second = cluster('second', first)
    for (const each of [first, second]) neverBoots(each, NEW)
    await twoFailures(first)
    expect(first.bought).toEqual([NEW, OLD, NEW, OLD])
    expect(await demotedIn(first)).toMatchObject([{ size: NEW, because: 'notBooted' }])
    expect(await runPod(second)).toBe(true)
    expect(second.bought).toEqual([OLD])
    expect(await runPod(second, MINUTE, NEW)).toBe(false)
    expect(second.bought).toEqual([OLD, NEW])
    const { objects } = second.simulation.world
    for (const { key, nodeName } of objects.all('pod')) if (nodeName === undefined) objects.remove('pod', key)
    const bought = [first, second].map((each) => each.bought.length)
    // No machine is replaced by one of the size, either, until its time is over.
    await Promise.all([pass(first, 2.5 * HOUR), pass(second, 2.5 * HOUR)])
    expect([first.bought.slice(bought[0]), second.bought.slice(bought[1])]).toEqual([[], []])
    await pass(second, 1.5 * HOUR)
    expect(second.bought.slice(bought[1])).toContain(NEW)
  })

  it('is no worse than others for the region if a machine of it boots elsewhere', async () => {
    const first = cluster('first')
    const second = cluster('second', first)
    neverBoots(first, NEW)
    await twoFailures(first)
    expect(await runPod(second, 4 * MINUTE, NEW)).toBe(true)
    await pass(second, MINUTE)
    expect(await demotedIn(first)).toEqual([])
    expect(await runPod(second)).toBe(true)
    expect(second.bought).toEqual([NEW, NEW])
  })

  it('is demoted by machines of two clusters, each of which proves nothing alone', async () => {
    const only = sizes().slice(0, 1)
    const first = cluster('first', undefined, only)
    const second = cluster('second', first, only)
    const third = cluster('third', first)
    for (const each of [first, second]) {
      neverBoots(each, NEW)
      expect(await demotedIn(first)).toEqual([])
      expect(await runPod(each)).toBe(false)
    }
    expect(await runPod(third)).toBe(true)
    expect(third.bought).toEqual([OLD])
  })
})

describe('a broken network of one cluster', () => {
  it('in which no machine boots, changes nothing in another cluster of the region', async () => {
    const broken = cluster('broken')
    const well = cluster('well', broken)
    neverBoots(broken)
    for (let times = 0; times < 3; times++) expect(await runPod(broken, 20 * MINUTE)).toBe(false)
    expect(new Set(broken.bought)).toEqual(new Set([NEW, OLD]))
    expect(broken.bought.length).toBeGreaterThan(3)
    expect(await demotedIn(broken)).toEqual([])
    expect(await runPod(well)).toBe(true)
    expect(well.bought).toEqual([NEW])
  })
})

describe('what a machine that does not boot says', () => {
  const CALLS = ['offerings.mark', 'offerings.report', 'api.deleteClaim']
  const cases = CALLS.flatMap((call) => MODES.flatMap((mode) => [1, 2].map((times) => ({ call, mode, times }))))

  it.each(cases)('is known and counts once, whatever fails at $call: $mode.how $mode.when call $times', async ({ call, mode, times }) => {
    const first = cluster('first')
    neverBoots(first, NEW)
    first.simulation.world.journal.failCall(call, times, mode)
    await twoFailures(first)
    const { ports } = first.simulation.world
    const reports = await ports.offerings.reports(first.simulation.clock.now(), SIGNAL)
    const failed = reports.filter(({ kind }) => kind === 'notBooted')
    expect(new Set(failed.map(({ claim }) => claim)).size).toBe(failed.length)
    expect(failed.map(({ isProven }) => isProven)).toEqual(first.bought.filter((size) => size === NEW).map(() => true))
    expect(first.bought.filter((size) => size === NEW)).toHaveLength(2)
    expect(await demotedIn(first)).toMatchObject([{ size: NEW }])
  })
})

describe('F20: a size of which Azure takes two spot machines soon after their start', () => {
  it.each([
    ['azure', MINUTE, 'Preempt', [OLD]],
    ['azure', MINUTE, 'VirtualMachinePreempted', [OLD]],
    ['node', MINUTE, 'Preempt', [NEW]],
    ['azure', 16 * MINUTE, 'Preempt', [NEW]],
    // A person stopped the machine.
    ['azure', MINUTE, 'VirtualMachineDeallocationInitiated', [NEW]],
    ['azure', MINUTE, 'Terminate', [NEW]],
  ] as const)(
    'told by %s, %i ms after the start, with %s, another cluster of the region buys %j',
    async (saidBy, after, reason, bought) => {
      const types = sizes({ spotPrice: 0.05 })
      const first = cluster('first', undefined, types)
      const second = cluster('second', first, types)
      for (let times = 0; times < 2; times++) {
        expect(await runPod(first, 4 * MINUTE, NEW)).toBe(true)
        await pass(first, after)
        const claim = first.simulation.world.objects.all('nodeClaim').at(-1) ?? expect.fail('no claim')
        const resourceId = claim.status.providerId?.replace('azure://', '').toLowerCase() ?? ''
        const notice = { claim: claim.name, resourceId, saidBy, when: 'announced', eventId: `notice-${times}`, reason } as const
        await first.simulation.perform((deps) => interrupt(deps, notice, SIGNAL))
        await pass(first, 25 * MINUTE)
      }
      expect(await runPod(second)).toBe(true)
      expect(second.bought).toEqual(bought)
    },
  )
})
