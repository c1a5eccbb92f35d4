import { describe, expect, it } from 'vitest'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { nodeClaimName, objectKey, uid, vmSizeName } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { microUsdPerHour } from '../../shared/model/units.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, pods } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import { snapshot } from '../builders/snapshot.ts'
import type { OracleAnswer } from '../oracle/oracleAnswer.ts'
import { placedPods } from './placedPods.ts'
import { placementOfDecision, placementOfOracle } from './placement.ts'

describe('the placement of a decision', () => {
  const ref = (name: string) => ({ key: objectKey('default', name), uid: uid(name) })
  const decision: Decision = decideProvisioning(
    snapshot({ objects: { pod: [...pods(2, { name: 'p' }), pod({ name: 'far', nodeSelector: { rack: 'r' } })] } }),
  )

  it('has its new claims, with their pods, pool, labels and specification', () => {
    const { claims } = placementOfDecision(decision)
    const [create] = decision.actions.filter((action) => action.kind === 'createClaim')
    expect(claims).toEqual([
      {
        name: create?.draft.name,
        pool: 'default',
        pods: ['default/p-0', 'default/p-1'],
        labels: create?.draft.labels,
        spec: create?.draft.spec,
      },
    ])
  })

  it('has the pods that it refuses, and no other subject', () => {
    const ofPool = { code: 'POOL.LIMIT', subject: { kind: 'nodePool', name: 'default' }, message: '' } as const
    expect(placementOfDecision({ ...decision, reasons: [...decision.reasons, ofPool] }).refused).toEqual(new Set(['default/far']))
  })

  it('has the pods that a claim is promised, of all promises', () => {
    const promise = (claim: string, ...names: readonly string[]): Decision['actions'][number] => ({
      kind: 'nominate',
      claim: nodeClaimName(claim),
      pods: names.map(ref),
    })
    const { targets } = placementOfDecision({ ...decision, actions: [promise('a', 'x'), promise('b', 'y'), promise('a', 'z')] })
    expect([...targets]).toEqual([
      ['a', ['default/x', 'default/z']],
      ['b', ['default/y']],
    ])
  })
})

describe('the pods that a decision has a claim for', () => {
  it('are those of new claims and of promises, and of nothing else', () => {
    const ref = { key: objectKey('default', 'x'), uid: uid('x') }
    const decision = decideProvisioning(snapshot({ objects: { pod: [pod()] } }))
    const actions: Decision['actions'] = [
      ...decision.actions,
      { kind: 'nominate', claim: nodeClaimName('a'), pods: [ref] },
      { kind: 'deleteClaim', claim: nodeClaimName('b'), uid: uid('b'), because: 'Empty' },
    ]
    expect(placedPods({ ...decision, actions }).map(({ pod: { key } }) => key)).toEqual(['default/pod', 'default/x'])
  })
})

describe('the placement of the oracle', () => {
  const given = snapshot({
    objects: { nodePool: [nodePool({ template: { labels: { team: 'a' }, taints: [{ key: 't', effect: 'NoSchedule' }] } })] },
  })
  const answer = (pool: string): OracleAnswer => ({
    targets: new Map([['n', [objectKey('default', 'old')]]]),
    claims: [
      {
        pool: nodePool({ name: pool }).name,
        pods: [objectKey('default', 'x')],
        requirements: new Map([
          ['rack', { key: 'rack', complement: false, values: ['r1', 'r2'] }],
          [LABEL.zone, { key: LABEL.zone, complement: false, values: ['z1'] }],
          [LABEL.capacityType, { key: LABEL.capacityType, complement: false, values: ['spot'] }],
        ]),
        instanceTypes: [vmSizeName('small')],
        requests: resources(1, 1),
      },
    ],
    unplaced: new Map([[objectKey('default', 'none'), 'x']]),
    price: microUsdPerHour(0),
  })

  it('has its targets and what it refuses', () => {
    const { targets, refused } = placementOfOracle(given, answer('default'))
    expect({ targets: [...targets], refused: [...refused] }).toEqual({ targets: [['n', ['default/old']]], refused: ['default/none'] })
  })

  it('has claims of its pool, with a value for each label of the user’s', () => {
    const [claim] = placementOfOracle(given, answer('default')).claims
    expect(claim).toMatchObject({
      name: 'default-new-0',
      pool: 'default',
      pods: ['default/x'],
      spec: { taints: [{ key: 't', effect: 'NoSchedule' }], requests: resources(1, 1) },
    })
    expect(claim?.labels).toEqual({ team: 'a', rack: 'r1', [LABEL.nodePool]: 'default', [LABEL.nodeClass]: 'default' })
    expect(claim?.spec.requirements.map(({ key, values }) => [key, values])).toEqual(
      expect.arrayContaining([
        [LABEL.zone, ['z1']],
        [LABEL.instanceType, ['small']],
      ]),
    )
  })

  it('of a pool that does not exist is a mistake', () => {
    expect(() => placementOfOracle(given, answer('gone'))).toThrow('gone')
  })
})
