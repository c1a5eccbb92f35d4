import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import type { TaintPlanned } from '../../model/decision.ts'
import { clusterId, uid } from '../../model/ids.ts'
import { TAINT_KEY } from '../../model/labels.ts'
import type { Taint } from '../../model/taint.ts'
import { epochMs } from '../../model/units.ts'
import { createClusterState } from '../state/clusterState.ts'
import { taintPlanned } from './applyDecision.ts'
import { taintCandidate } from './markCandidate.ts'

const NEVER = new AbortController().signal
const OWN: Taint = { key: 'example.com/gpu', value: 'yes', effect: 'NoSchedule' }
const CLOSED: Taint = { key: TAINT_KEY.disrupted, effect: 'NoSchedule' }

function planned(at: number): Taint {
  return { key: TAINT_KEY.disruptionPlanned, value: `${Math.floor(at / 1_000)}`, effect: 'PreferNoSchedule' }
}

/** A node with these taints. */
function scene(taints: readonly Taint[], isEnding = false) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  const claim = world.objects.put('nodeClaim', nodeClaim({ name: 'default-a' }))
  const { name, meta } = world.objects.put('node', node({ claim: 'default-a', taints, ...(isEnding ? { meta: { deletedAt: NOW } } : {}) }))
  const deps = { ...world.ports, settings: settings() }
  return {
    world,
    claim,
    deps,
    carryOut: (more: Partial<TaintPlanned>): Promise<void> =>
      taintPlanned(deps, [{ kind: 'taintPlanned', node: name, uid: meta.uid, ...more }], NEVER),
    taints: (): readonly Taint[] | undefined => world.objects.get('node', name)?.taints,
  }
}

describe('taintPlanned', () => {
  it.each<[sentence: string, before: readonly Taint[], more: Partial<TaintPlanned>, after: readonly Taint[]]>([
    ['adds the taint beside the others', [OWN], { plannedAt: NOW }, [OWN, planned(NOW)]],
    ['writes a new time in place of the old one', [planned(NOW - 1_800_000), OWN], { plannedAt: NOW }, [OWN, planned(NOW)]],
    ['removes the taint and no other', [OWN, planned(NOW)], {}, [OWN]],
  ])('%s, with one write', async (_sentence, before, more, after) => {
    const { carryOut, taints, world } = scene(before)
    const tried = world.journal.tried()
    await carryOut(more)
    expect(taints()).toEqual(after)
    expect(world.journal.tried()).toBe(tried + 1)
  })

  it.each<[sentence: string, before: readonly Taint[], more: Partial<TaintPlanned>, isEnding?: boolean]>([
    ['a node that is closed already', [CLOSED], { plannedAt: NOW }],
    ['a node that lost the taint meanwhile', [OWN], {}],
    ['a node that ends', [planned(NOW)], {}, true],
    ['another node of the same name', [OWN], { plannedAt: NOW, uid: uid('earlier') }],
  ])('writes nothing on %s', async (_sentence, before, more, isEnding) => {
    const { carryOut, taints, world } = scene(before, isEnding)
    const tried = world.journal.tried()
    await carryOut(more)
    expect(taints()).toEqual(before)
    expect(world.journal.tried()).toBe(tried)
  })

  it('tells of a write that fails, and leaves it to the next decision', async () => {
    const { carryOut, taints, world } = scene([OWN])
    world.failCall('api.patchNode', 1)
    await carryOut({ plannedAt: NOW })
    expect(taints()).toEqual([OWN])
    expect(world.telemetry.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      expect.stringMatching(/^warn the taint joiner\.dev\/disruption-planned of node joiner-default-a was not done: /),
    ])
  })
})

describe('a node with the taint that goes', () => {
  it('loses the taint with the write that closes the node', async () => {
    const { claim, deps, taints, world } = scene([OWN, planned(epochMs(NOW - 60_000))])
    const tried = world.journal.tried()
    const candidate = { claim: claim.name, uid: claim.meta.uid, pods: [] }
    await taintCandidate(deps, createClusterState(), candidate, { command: '7-0', reason: 'Empty' }, NEVER)
    expect(taints()).toEqual([OWN, CLOSED])
    // The other write is the condition of the claim.
    expect(world.journal.tried()).toBe(tried + 2)
  })
})
