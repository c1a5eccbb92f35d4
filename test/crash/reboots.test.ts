import { describe, expect, it } from 'vitest'
import { findCondition, isTrue } from '../../shared/model/condition.ts'
import { ANNOTATION, LABEL, TAINT_KEY } from '../../shared/model/labels.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { isFenced, whyNoReboot } from '../../shared/model/reboot.ts'
import { DEFAULT_REPAIR_POLICIES, type RepairPolicy } from '../../shared/model/repairPolicy.ts'
import { durationMs } from '../../shared/model/units.ts'
import { condition } from '../builders/condition.ts'
import { nodeNameOf } from '../builders/nodeClaim.ts'
import { settings } from '../builders/snapshot.ts'
import { FAILED_WRITES, failuresAt, MODES } from './everyWrite.ts'
import { beginReboot, isBack, left, MINUTE, type RebootStory, SECOND } from './rebootStory.ts'

const nodeIn = ({ simulation, victim }: RebootStory) => simulation.world.objects.get('node', nodeNameOf(victim))
const rebooting = ({ claim }: RebootStory) => findCondition(claim()?.status.conditions ?? [], 'Rebooting')
const eventsOf = ({ simulation }: RebootStory): readonly string[] =>
  simulation.world.objects.events.map(({ event }) => event.reason).filter((reason) => reason.startsWith('Reboot'))
const results = ({ simulation }: RebootStory): readonly unknown[] =>
  simulation.world.telemetry.measures.filter(({ name }) => name === 'karpenter_nodes_reboots_total').map(({ fields }) => fields)

describe('a reboot in place', () => {
  it('keeps claim, node and machine, buys nothing for the evicted pods, and ends with an initialized node', async () => {
    const story = await beginReboot()
    const before = left(story)
    await story.commit(MINUTE)
    await story.until(() => rebooting(story)?.reason === 'RebootIssued')
    expect(story.claim()?.meta.annotations[ANNOTATION.rebootPreBootId]).toBe(`boot 1 of ${nodeNameOf(story.victim)}`)
    expect(findCondition(story.claim()?.status.conditions ?? [], 'Initialized')).toMatchObject({ status: 'Unknown', reason: 'Rebooting' })
    await story.until(() => nodeIn(story)?.meta.labels[LABEL.initialized] === undefined)
    expect(await story.until(() => isBack(story))).toBeLessThan(MINUTE)
    expect(left(story)).toEqual(before)
    expect([story.boots(), eventsOf(story), results(story)]).toEqual([
      2,
      ['Rebooting', 'RebootObserved'],
      [expect.objectContaining({ result: 'succeeded' })],
    ])
    expect(nodeIn(story)?.meta.labels[LABEL.initialized]).toBe('true')
    await story.pass(MINUTE)
    expect(left(story)).toEqual(before)
    expect(Object.keys(story.claim()?.meta.annotations ?? {}).filter((key) => key.includes('reboot'))).toEqual([ANNOTATION.reboots])
    expect(findCondition(story.claim()?.status.conditions ?? [], 'DisruptionReason')).toBeUndefined()
  })

  it('EE-11 leaves a pod that must not be evicted on the node', async () => {
    const story = await beginReboot()
    const { objects } = story.simulation.world
    const pod = objects.all('pod').find(({ nodeName }) => nodeName === nodeNameOf(story.victim))
    if (pod !== undefined) objects.put('pod', { ...pod, annotations: { [ANNOTATION.doNotDisrupt]: 'true' } })
    await story.commit(20 * SECOND)
    expect(await story.until(() => isBack(story))).toBeGreaterThanOrEqual(20 * SECOND)
    expect(objects.all('pod').map(({ uid }) => uid)).toContain(pod?.uid)
  })

  it('EE-10 is one of two within a day, whichever process counts them', async () => {
    const story = await beginReboot({ hosts: 2 })
    for (const time of [1, 2]) {
      await story.commit(0)
      await story.until(() => story.boots() === time + 1 && isBack(story))
      const claim = story.claim()
      expect(claim && whyNoReboot(claim, story.simulation.clock.now())).toBe(
        time === 1 ? undefined : 'it was rebooted 2 times within 24 hours',
      )
    }
    expect(results(story)).toHaveLength(2)
  })

  it('RB-11 ends though repair is off by then', async () => {
    const story = await beginReboot()
    await story.commit(0)
    await story.until(() => rebooting(story)?.reason === 'RebootIssued')
    story.simulation.configure({ nodeRepair: 'off' })
    expect(await story.until(() => isBack(story))).toBeLessThan(2 * MINUTE)
  })

  it('ends with its claim', async () => {
    const story = await beginReboot()
    await story.commit(0)
    await story.until(() => rebooting(story)?.reason === 'RebootIssued')
    story.simulation.world.objects.delete('nodeClaim', story.victim)
    expect(await story.until(() => story.claim() === undefined)).toBeLessThan(2 * MINUTE)
    expect(eventsOf(story)).toEqual(['Rebooting'])
  })
})

describe('a reboot that fails', () => {
  it('moves no pod if the right to restart machines is missing, and says so on the claim', async () => {
    const story = await beginReboot()
    story.simulation.world.machines.restarts.problem = problem('AZURE.FORBIDDEN', 'AuthorizationFailed: no right')
    const pods = story.simulation.world.objects.all('pod').map(({ uid }) => uid)
    await story.commit(0)
    await story.until(() => rebooting(story)?.status === 'False')
    expect(rebooting(story)).toMatchObject({ reason: 'RebootFailed', message: 'AuthorizationFailed: no right' })
    await story.pass(MINUTE)
    expect(story.simulation.world.objects.all('pod').map(({ uid }) => uid)).toEqual(pods)
    expect([isFenced(nodeIn(story) ?? { taints: [] }), story.boots(), eventsOf(story)]).toEqual([false, 1, ['Rebooting', 'RebootFailed']])
    expect(story.simulation.world.journal.entries.some(({ operation }) => operation === 'api.evict')).toBe(false)
  })

  it('leaves a node that Azure does not restart to the next repair', async () => {
    const story = await beginReboot()
    story.simulation.world.machines.restarts.refusal = problem(
      'AZURE.FAILED',
      'OperationNotAllowed: The operation requires the VM to be running',
    )
    await story.commit(0)
    await story.until(() => rebooting(story)?.status === 'False')
    expect(results(story)).toEqual([expect.objectContaining({ result: 'provider_error' })])
    expect(nodeIn(story)?.taints.some(({ key }) => key === TAINT_KEY.rebooting)).toBe(false)
    const claim = story.claim()
    expect(claim && whyNoReboot(claim, story.simulation.clock.now())).toContain('its last reboot failed')
  })

  it('is tried for five minutes while Azure is out, also by processes that start anew', async () => {
    let isOut = true
    const story = await beginReboot({
      between: (deps) => ({
        ...deps,
        cloud: {
          ...deps.cloud,
          restart: (claim, signal) =>
            isOut ? Promise.reject(new Fault('restart', problem('AZURE.FAILED', 'an outage'))) : deps.cloud.restart(claim, signal),
        },
      }),
    })
    await story.commit(0)
    const startedAt = story.simulation.clock.now()
    for (let turn = 0; turn < 4; turn++) {
      await story.pass(MINUTE)
      story.simulation.configure({})
    }
    expect(rebooting(story)).toMatchObject({ status: 'True', reason: 'RebootRequested' })
    await story.until(() => rebooting(story)?.status === 'False')
    expect(story.simulation.clock.now() - startedAt).toBeLessThan(7 * MINUTE)
    isOut = false
    await story.pass(MINUTE)
    expect([story.boots(), results(story)]).toEqual([1, [expect.objectContaining({ result: 'provider_error' })]])
  })

  it('restarts a machine once whose restart was taken and its answer lost', async () => {
    let asked = 0
    const story = await beginReboot({
      between: (deps) => ({
        ...deps,
        cloud: {
          ...deps.cloud,
          restart: async (claim, signal) => {
            asked += 1
            await deps.cloud.restart(claim, signal)
            throw new Fault('restart', problem('AZURE.FAILED', 'socket hang up'))
          },
        },
      }),
    })
    story.simulation.world.machines.restarts.takesMs = 100 * SECOND
    await story.commit(0)
    await story.until(() => isBack(story))
    expect([asked, story.boots(), results(story)]).toEqual([1, 2, [expect.objectContaining({ result: 'succeeded' })]])
  })

  it('is given up after twenty minutes if the machine does not come back', async () => {
    const story = await beginReboot()
    story.simulation.world.machines.restarts.takesMs = 10 * 3_600_000
    await story.commit(0)
    await story.until(() => rebooting(story)?.reason === 'RebootIssued')
    const took = await story.until(() => rebooting(story)?.status === 'False', 30 * MINUTE)
    expect(took).toBeGreaterThan(19 * MINUTE)
    expect(took).toBeLessThan(22 * MINUTE)
    expect(results(story)).toEqual([expect.objectContaining({ result: 'recovery_timeout' })])
  })
})

const STUCK = 'example.com/Stuck'
const REPAIR_POLICIES: readonly RepairPolicy[] = [
  ...DEFAULT_REPAIR_POLICIES,
  {
    ...{ conditionType: STUCK, conditionStatus: 'True', reasonRegex: '.*', priority: 50, action: 'RebootNode' },
    ...{ tolerationDuration: durationMs(0), terminationGracePeriod: durationMs(20 * SECOND) },
  },
]

/** The node of the victim is stuck for as long as it has its first boot, or for ever. */
async function playStuck(isForEver = false) {
  const plan = { settings: settings({ repairPolicies: REPAIR_POLICIES }) }
  const story = await beginReboot(plan)
  const { objects } = story.simulation.world
  const node = nodeIn(story)
  const stuck = condition(STUCK, { status: 'True', reason: 'Hung', lastTransitionAt: story.simulation.clock.now() })
  if (node !== undefined) objects.put('node', { ...node, conditions: [...node.conditions, stuck] })
  objects.listen(({ kind }) => {
    const now = nodeIn(story)
    if (isForEver || kind !== 'node' || now === undefined || now.bootId === node?.bootId) return
    if (findCondition(now.conditions, STUCK)?.status !== 'True') return
    const conditions = now.conditions.map((each) => (each.type === STUCK ? { ...each, status: 'False' as const } : each))
    objects.put('node', { ...now, conditions })
  })
  return story
}

describe('a repair policy that asks for a reboot', () => {
  it('EE-09 has the node rebooted in place: same claim and node, another boot, no more machines', async () => {
    const story = await playStuck()
    const before = left(story)
    expect(await story.until(() => isBack(story))).toBeLessThan(2 * MINUTE)
    await story.pass(2 * MINUTE)
    expect([left(story), story.boots(), results(story)]).toEqual([before, 2, [expect.objectContaining({ result: 'succeeded' })]])
  })

  it('EE-10 has it rebooted twice, then replaced with its replacement first', async () => {
    const story = await playStuck(true)
    const { objects } = story.simulation.world
    expect(await story.until(() => story.claim() === undefined, 20 * MINUTE)).toBeDefined()
    expect(results(story)).toHaveLength(2)
    expect(objects.all('nodeClaim')).toHaveLength(3)
  })

  it.each([
    ['problem', 'the right is missing'],
    ['refusal', 'Azure does not restart the machine'],
  ] as const)('has the node replaced, with its replacement first, if a reboot fails by a %s', async (how, message) => {
    const story = await playStuck()
    const { world } = story.simulation
    world.machines.restarts[how] = problem('AZURE.FORBIDDEN', message)
    const counts: number[] = []
    expect(
      await story.until(() => {
        const ready = world.objects.all('node').filter(({ conditions }) => isTrue(conditions, 'Ready'))
        if (story.claim()?.meta.deletedAt !== undefined && counts.length === 0) counts.push(ready.length)
        return story.claim() === undefined
      }, 20 * MINUTE),
    ).toBeDefined()
    // The replacement was a ready node when the old one began to go.
    expect([counts, story.boots(), results(story)]).toEqual([[4], 1, [expect.objectContaining({ result: 'provider_error' })]])
  })
})

describe('what Karpenter left', () => {
  it('is a fence, which goes if no reboot is under way', async () => {
    const story = await beginReboot()
    const node = nodeIn(story)
    if (node !== undefined)
      story.simulation.world.objects.put('node', { ...node, taints: [{ key: TAINT_KEY.rebooting, effect: 'NoSchedule' }] })
    expect(await story.until(() => nodeIn(story)?.taints.length === 0)).toBeLessThan(2 * MINUTE)
  })
})

describe.each(MODES)('a $how $when a write of a reboot', (mode) => {
  it.each(mode.how === 'kill' && mode.when === 'before' ? [[2]] : [[1], [2]])(
    `lets it complete with %i hosts, at ${FAILED_WRITES}`,
    async (hosts) => {
      const play = async (n?: number) => {
        const story = await beginReboot({ hosts })
        const { journal } = story.simulation.world
        const first = journal.tried()
        if (n !== undefined) story.simulation.world.failAt(first + n, mode)
        const before = left(story)
        // A decision that a kill cut off is made again.
        const again = async () => {
          for (let turn = 0; turn < 5 && rebooting(story) === undefined; turn++) {
            await story.commit(30 * SECOND)
            await story.pass(5 * SECOND)
          }
        }
        await again()
        const took = await story.until(() => isBack(story))
        return { story, took, writes: journal.tried() - first, isKept: JSON.stringify(left(story)) === JSON.stringify(before) }
      }
      const calm = await play()
      expect(calm.story.boots()).toBe(2)
      const wrong: unknown[] = []
      for (const { n } of failuresAt(mode, 1, calm.writes, hosts)) {
        const { story, took, isKept } = await play(n)
        // A request whose answer was lost may be made twice, and never more often.
        const isRight = took !== undefined && isKept && story.boots() <= 3
        if (!isRight) wrong.push({ write: n, took, boots: story.boots(), around: story.simulation.world.journal.entries.slice(-8) })
      }
      expect(calm.writes).toBeGreaterThan(10)
      expect(wrong).toEqual([])
    },
    300_000,
  )
})
