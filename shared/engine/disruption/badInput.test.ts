import { describe, expect, it } from 'vitest'
import { MINUTE } from '../../../test/builders/clock.ts'
import { disruptionOf, statusOf } from '../../../test/builders/decided.ts'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { type NodePoolShape, nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import { nodeName } from '../../model/ids.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import { CALM_ANNOTATION, LABEL } from '../../model/labels.ts'
import { DISRUPTION_RULES_INVALID } from '../../model/nodePool.ts'
import { durationMs } from '../../model/units.ts'

type Disruption = NonNullable<NodePoolShape['disruption']>
const ALL: Disruption = { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: durationMs(0), budgets: [{ nodes: '100%' }] }
const DEAR = 'Standard_D8as_v6'

/**
 * Two pools with one machine each, empty or with a small pod that selects its pool. The first pool has the settings of the case, the second is valid.
 */
function twoPools(
  bad: { disruption?: Disruption; annotations?: { readonly [name: string]: string } },
  isEmpty = true,
): SnapshotShape['objects'] {
  const claims = ['bad', 'good'].map((nodePoolName) => nodeClaim({ name: `${nodePoolName}-a`, nodePool: nodePoolName, size: DEAR }))
  return {
    nodePool: [
      nodePool({ name: 'bad', disruption: { ...ALL, ...bad.disruption }, meta: { annotations: bad.annotations ?? {} } }),
      nodePool({ name: 'good', disruption: ALL }),
    ],
    nodeClaim: claims,
    node: claims.map(({ name }) => node({ claim: name, nodePool: name.replace('-a', ''), size: DEAR })),
    pod: isEmpty
      ? []
      : claims.map(({ name }) =>
          pod({
            name: `on-${name}`,
            nodeName: nodeName(`joiner-${name}`),
            phase: 'Running',
            nodeSelector: { [LABEL.nodePool]: name.replace('-a', '') },
          }),
        ),
  }
}

function outcome(shape: SnapshotShape) {
  const given = snapshot(shape)
  const { actions, reasons } = disruptionOf(given)
  const taken = actions.flatMap((action) => {
    if (action.kind === 'startCommand') return action.command.candidates.map(({ claim }) => claim)
    return action.kind === 'deleteClaim' ? [action.claim] : []
  })
  const said = statusOf(given).actions.flatMap((action) =>
    action.kind === 'patchNodePoolStatus'
      ? action.conditions.filter(({ type }) => type === DISRUPTION_RULES_INVALID).map((each) => ({ pool: action.nodePool, ...each }))
      : [],
  )
  return { taken, said, codes: Object.fromEntries(reasons.map(({ subject, code }) => [subject.name, code])) }
}

const UNREADABLE: {
  readonly [sentence: string]: { readonly bad: Parameters<typeof twoPools>[0]; readonly says: RegExp; readonly code: string }
} = {
  'a schedule': {
    bad: { disruption: { budgets: [{ nodes: '1' }, { nodes: '1', schedule: 'at noon', duration: durationMs(MINUTE) }] } },
    says: /^nodepool bad: spec\.disruption\.budgets\[1\]\.schedule: .+; no node is disrupted for any reason until that is corrected$/,
    code: 'DISRUPTION.BUDGET',
  },
  'a number of nodes': {
    bad: { disruption: { budgets: [{ nodes: 'some', reasons: ['Empty'] }] } },
    says: /budgets\[0\]\.nodes: "some" is neither a number nor a percentage up to 100%; no node is disrupted for Empty until/,
    code: 'DISRUPTION.BUDGET',
  },
  'a least saving': {
    bad: { annotations: { [CALM_ANNOTATION.leastSavingShare]: 'a lot' } },
    says: /metadata\.annotations joiner\.dev\/least-saving-share: must be a number from 0 to below 1; no node is moved until/,
    code: 'DISRUPTION.CALM',
  },
  'a number of moves': {
    bad: { annotations: { [CALM_ANNOTATION.mostMovesAnHour]: 'few' } },
    says: /metadata\.annotations joiner\.dev\/most-moves-an-hour: must be a whole number from 0 to 1000; no node is moved until/,
    code: 'DISRUPTION.CALM',
  },
  'a number of extra nodes': {
    bad: { annotations: { [CALM_ANNOTATION.mostExtraNodes]: '-1' } },
    says: /metadata\.annotations joiner\.dev\/most-extra-nodes: must be a whole number from 0 to 1000; no node is moved until/,
    code: 'DISRUPTION.CALM',
  },
  'a rest': {
    bad: { annotations: { [CALM_ANNOTATION.restAfterMove]: 'long' } },
    says: /metadata\.annotations joiner\.dev\/rest-after-move: must be a duration of at most 168h, such as 30m; no node is moved until/,
    code: 'DISRUPTION.CALM',
  },
}

describe('what a pool says of moves and nobody can read', () => {
  it.each(Object.entries(UNREADABLE))(
    'SV-19 holds its own machines, and its condition names field and rule: %s',
    (_what, { bad, says, code }) => {
      const { taken, said, codes } = outcome({ objects: twoPools(bad) ?? {} })
      expect(said).toEqual([
        expect.objectContaining({ pool: 'bad', status: 'True', reason: 'DisruptionBlocked', message: expect.stringMatching(says) }),
      ])
      expect(codes).toEqual({ 'bad-a': code })
      expect(taken).toEqual(['good-a'])
    },
  )

  it('is a warning on the pool, which makes machines all the same', () => {
    const [bad] = Object.values(UNREADABLE)
    const { actions } = statusOf(snapshot({ objects: twoPools(bad?.bad ?? {}) ?? {} }))
    const events = actions.flatMap((action) => (action.kind === 'publish' ? [action.event] : []))
    expect(events).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'DisruptionBlocked' }))
    const ready = actions
      .flatMap((action) => (action.kind === 'patchNodePoolStatus' ? action.conditions : []))
      .filter(({ type }) => type === 'Ready')
    expect(ready.every(({ status }) => status === 'True')).toBe(true)
  })

  it('says no more once it can be read', () => {
    const written = { type: DISRUPTION_RULES_INVALID, status: 'True', reason: 'DisruptionBlocked', message: 'whatever' } as const
    const base = nodePool({ name: 'good' })
    const stale = { ...written, lastTransitionAt: base.meta.createdAt, observedGeneration: 1 }
    const pool = { ...base, status: { ...base.status, conditions: [...base.status.conditions, stale] } }
    const patches = statusOf(snapshot({ objects: { nodePool: [pool] } })).actions.filter(({ kind }) => kind === 'patchNodePoolStatus')
    expect(patches).toHaveLength(1)
    expect(JSON.stringify(patches)).not.toContain(DISRUPTION_RULES_INVALID)
  })
})

describe('a price', () => {
  const small = instanceType({ name: 'Standard_D2as_v6', cpus: 2, memoryGib: 8, price: 0.1 })
  const dear = (price: number | null): InstanceType =>
    instanceType({ name: DEAR, cpus: 8, memoryGib: 32, price, ...(price === null ? { spotPrice: null } : {}) })
  const priced = (price: number | null) => outcome({ objects: twoPools({}, false) ?? {}, types: [small, dear(price)] })

  it('that is known lets something cheaper come', () => {
    expect(priced(1).taken).toEqual(['bad-a', 'good-a'])
  })

  it('that vanishes, or never was, has nothing cheaper come, and the machine says so', () => {
    const { taken, codes } = priced(null)
    expect(taken).toEqual([])
    expect(codes).toEqual({ 'bad-a': 'DISRUPTION.NO_PRICE', 'good-a': 'DISRUPTION.NO_PRICE' })
  })

  it('that is not known of one pool’s size keeps no other pool’s machine', () => {
    const objects = twoPools({}, false) ?? {}
    const nodes = (objects.node ?? []).map((each, index) =>
      index === 0 ? { ...each, meta: { ...each.meta, labels: { ...each.meta.labels, [LABEL.instanceType]: 'Standard_Gone' } } } : each,
    )
    const { taken, codes } = outcome({ objects: { ...objects, node: nodes }, types: [small, dear(1)] })
    expect(codes).toEqual({ 'bad-a': 'DISRUPTION.NO_PRICE' })
    expect(taken).toEqual(['good-a'])
  })
})
