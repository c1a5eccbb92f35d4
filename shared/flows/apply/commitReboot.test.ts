import { expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { findCondition } from '../../model/condition.ts'
import { clusterId, nodeClaimName, uid } from '../../model/ids.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { durationMs } from '../../model/units.ts'
import { commitReboot } from './commitReboot.ts'

const NEVER = new AbortController().signal
const CLAIM = nodeClaimName('default-aaaaa')

async function commit(shape: NodeClaimShape = {}, bound?: number, ofUid = nodeClaim().meta.uid) {
  const { objects, ports, telemetry, work, journal } = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  objects.put('nodeClaim', nodeClaim(shape))
  const action = { kind: 'rebootClaim', claim: CLAIM, uid: ofUid, pods: 2, condition: 'Ready=False', because: 'Ready/Stuck' } as const
  const bounded = bound === undefined ? action : { ...action, terminationGracePeriod: durationMs(bound) }
  await commitReboot({ ...ports, settings: settings() }, bounded, NEVER)
  const claim = objects.get('nodeClaim', CLAIM)
  return { claim, telemetry, work, writes: journal.entries.map(({ operation }) => operation) }
}

it('RB-02 a commit sets condition, reason and bound, and asks for a run of the claim; nothing is launched or deleted', async () => {
  const { claim, telemetry, work, writes } = await commit({}, 90_000)
  const conditions = claim?.status.conditions ?? []
  expect(findCondition(conditions, 'Rebooting')).toMatchObject({
    status: 'True',
    reason: 'RebootRequested',
    message: 'rebooting for Ready/Stuck',
  })
  expect(findCondition(conditions, 'DisruptionReason')).toMatchObject({ status: 'True', reason: 'Unhealthy' })
  expect(claim?.meta.annotations[ANNOTATION.rebootGracePeriod]).toBe('1m30s')
  expect(work).toMatchObject([{ key: 'claim', claim: CLAIM }])
  expect(writes).toEqual(['api.patchClaim', 'api.patchClaimStatus', 'api.publish'])
  const counted = telemetry.measures.filter(({ name }) => name.startsWith('karpenter_')).map(({ name, value }) => [name, value])
  expect(counted).toEqual([
    ['karpenter_nodeclaims_unhealthy_disrupted_total', 1],
    ['karpenter_pods_disruption_initiated_total', 2],
  ])
})

it('a commit without a bound takes away that of an earlier reboot, and the boot id', async () => {
  const annotations = { [ANNOTATION.rebootGracePeriod]: '5m', [ANNOTATION.rebootPreBootId]: 'old', [ANNOTATION.reboots]: '1' }
  expect((await commit({ meta: { annotations } })).claim?.meta.annotations).toEqual({ [ANNOTATION.reboots]: '1' })
})

it('a node that is rebooted, or whose claim is another one or being deleted, is left alone', async () => {
  const rebooting = { status: { conditions: [condition('Rebooting', { reason: 'RebootIssued' })] } }
  expect((await commit(rebooting)).writes).toEqual([])
  expect((await commit({ meta: { deletedAt: NOW } })).writes).toEqual([])
  expect((await commit({}, 0, uid('another'))).writes).toEqual([])
})
