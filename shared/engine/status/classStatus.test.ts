import { describe, expect, it } from 'vitest'
import { conditionsOf, eventsOf, statusOf } from '../../../test/builders/decided.ts'
import { SOME_LINKS } from '../../../test/builders/links.ts'
import { localDns } from '../../../test/builders/localDns.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import { nodeClassName } from '../../model/ids.ts'
import { problem } from '../../model/problem.ts'
import { withStatus } from './decideStatus.ts'

const fresh = { status: { conditions: [], images: [] } }
const bare = { conditions: [], resources: {} }

describe('an AKSNodeClass', () => {
  it('waits for the sizes of the region', () => {
    expect(conditionsOf({ types: [], objects: { nodeClass: [nodeClass(fresh)] } }, 'patchNodeClassStatus')).toMatchObject({
      ValidationSucceeded: 'Unknown InstanceTypesUnknown',
      Ready: 'Unknown ReconcilingDependents',
    })
  })

  it.each([
    ['AZURE.IMAGE_NOT_FOUND', { ImagesReady: 'False ImagesNotFound', ValidationSucceeded: 'True' }],
    ['NODECLASS.INVALID', { ImagesReady: 'True', ValidationSucceeded: 'False NoCompatibleInstanceTypes' }],
  ] as const)('that no size serves says why, and its pool with it, by an Event each: %s', (code, want) => {
    const given = { ...snapshot({ types: [], objects: { nodeClass: [nodeClass(fresh)], nodePool: [nodePool({ status: bare })] } }) }
    const sizeProblems = new Map([[nodeClassName('default'), problem(code, 'none serves')]])
    const decision = statusOf({ ...given, sizeProblems })
    const patch = decision.actions.find((action) => action.kind === 'patchNodeClassStatus')
    const said = (patch?.kind === 'patchNodeClassStatus' ? patch.conditions : []).map(({ type, status, reason }) => [
      type,
      status === 'True' ? status : `${status} ${reason}`,
    ])
    expect(Object.fromEntries(said)).toMatchObject({ ...want, Ready: 'False UnhealthyDependents' })
    const [reason = ''] = Object.values(want).flatMap((each) => each.split(' ').slice(1))
    expect(eventsOf(decision)).toEqual([`nodeClass/default Warning ${reason}`, 'nodePool/default Warning NodeClassNotReady'])
    expect(JSON.stringify(decision)).toContain('aksnodeclass default is not ready')
  })

  const patchOf = (shape: Parameters<typeof nodeClass>[0], more: SnapshotShape = {}) =>
    statusOf(snapshot({ ...more, objects: { nodeClass: [nodeClass(shape)] } })).actions.find(
      (action) => action.kind === 'patchNodeClassStatus',
    )

  it.each([
    ['Required', 'Enabled'],
    ['Disabled', 'Disabled'],
    ['Preferred', 'Disabled'],
  ] as const)('NS-09 names the state of local DNS, and is not written again: %s', (mode, localDnsState) => {
    const given = { spec: { localDns: localDns(mode) }, status: { conditions: [], images: [] } }
    const patch = patchOf(given)
    expect(patch).toMatchObject({ localDnsState })
    expect(patchOf({ ...given, status: { images: [], conditions: patch?.conditions ?? [], localDnsState } })).toBeUndefined()
    expect(patch?.conditions.find(({ type }) => type === 'LocalDNSReady')).toMatchObject({
      status: 'True',
      reason: 'LocalDNSReady',
      message: mode === 'Preferred' ? expect.stringContaining('Preferred does not turn local DNS on') : '',
    })
  })

  it('NS-09 keeps local DNS on where it is on and only preferred', () => {
    const on = { conditions: [], images: [], localDnsState: 'Enabled' } as const
    expect(patchOf({ spec: { localDns: localDns('Preferred') }, status: on })).not.toHaveProperty('localDnsState')
    expect(patchOf({ spec: {}, status: on })).toMatchObject({ localDnsState: 'Disabled' })
  })

  it('that asks for local DNS which its nodes cannot have is not ready, and the condition of local DNS says why', () => {
    const found = problem('NODECLASS.INVALID', 'needs Kubernetes 1.31', { path: 'spec.localDNS.mode' })
    const sizeProblems = new Map([[nodeClassName('default'), found]])
    expect(conditionsOf({ sizeProblems, types: [], objects: { nodeClass: [nodeClass(fresh)] } }, 'patchNodeClassStatus')).toMatchObject({
      LocalDNSReady: 'False LocalDNSNotSupported',
      ValidationSucceeded: 'True',
      Ready: 'False UnhealthyDependents',
    })
  })

  it.each([
    ['AZURE.FORBIDDEN', 'DiskEncryptionSetRBACMissing'],
    ['AZURE.NOT_FOUND', 'DiskEncryptionSetNotFound'],
  ] as const)('NS-08 whose disks cannot be encrypted says so, and is ready again once they can: %s', (code, reason) => {
    const before = snapshot({ objects: { nodeClass: [nodeClass(fresh)] } })
    const encryptionProblem = problem(code, 'the app lacks a right on disk encryption set /sets/shop')
    const first = statusOf({ ...before, encryptionProblem })
    const shape = { objects: before.objects, encryptionProblem }
    expect(conditionsOf(shape, 'patchNodeClassStatus')).toMatchObject({
      ValidationSucceeded: `False ${reason}`,
      ImagesReady: expect.stringMatching(/^True/),
      Ready: 'False UnhealthyDependents',
    })
    expect(eventsOf(first)).toContain(`nodeClass/default Warning ${reason}`)
    expect(JSON.stringify(first)).toContain('disk encryption set /sets/shop')
    const later = statusOf(withStatus(before, first))
    const patch = later.actions.find((action) => action.kind === 'patchNodeClassStatus')
    const conditions = patch?.kind === 'patchNodeClassStatus' ? patch.conditions : []
    expect(conditions.map(({ type, status }) => [type, status])).toEqual(
      expect.arrayContaining([
        ['ValidationSucceeded', 'True'],
        ['Ready', 'True'],
      ]),
    )
  })

  it('NS-08 that no size serves says that first', () => {
    const given = {
      ...snapshot({ types: [], objects: { nodeClass: [nodeClass(fresh)] } }),
      encryptionProblem: problem('AZURE.FORBIDDEN', 'no'),
    }
    const sizeProblems = new Map([[nodeClassName('default'), problem('CLUSTER.UNSUPPORTED', 'none serves')]])
    expect(JSON.stringify(statusOf({ ...given, sizeProblems }))).toContain('ClusterNotSupported')
    expect(JSON.stringify(statusOf({ ...given, sizeProblems }))).not.toContain('DiskEncryptionSet')
  })

  it('with something that is no subnet is not ready', () => {
    expect(
      conditionsOf({ objects: { nodeClass: [nodeClass({ spec: { vnetSubnetId: '/subnets/x' } })] } }, 'patchNodeClassStatus'),
    ).toMatchObject({
      SubnetsReady: 'False SubnetIDInvalid',
      Ready: 'False UnhealthyDependents',
    })
  })

  it.each([
    ['AZURE.NOT_FOUND', 'SubnetNotFound'],
    ['AZURE.FORBIDDEN', 'SubnetForbidden'],
    ['NODECLASS.INVALID', 'SubnetIDInvalid'],
    ['AZURE.SUBNET_FULL', 'AzureSubnetFull'],
  ] as const)(
    'whose subnet Azure does not have, or not there, or not for us, is not ready, and neither is its pool: %s',
    (code, reason) => {
      const vnetSubnetId = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/none'
      const shape: SnapshotShape = {
        objects: { nodeClass: [nodeClass({ spec: { vnetSubnetId } })] },
        subnetProblems: new Map([[nodeClassName('default'), problem(code, 'create the subnet')]]),
      }
      expect(conditionsOf(shape, 'patchNodeClassStatus')).toMatchObject({
        SubnetsReady: `False ${reason}`,
        Ready: 'False UnhealthyDependents',
      })
      expect(conditionsOf(shape, 'patchNodePoolStatus')).toMatchObject({ NodeClassReady: 'False UnhealthyDependents' })
      expect(eventsOf(statusOf(snapshot(shape)))).toEqual([
        `nodeClass/default Warning ${reason}`,
        'nodePool/default Warning NodeClassNotReady',
      ])
    },
  )

  it('says where the subnet is seen, and its Ready and its pool say what is wrong without that', () => {
    const network = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v'
    const { actions } = statusOf(
      snapshot({
        settings: { links: SOME_LINKS },
        objects: { nodeClass: [nodeClass({ spec: { vnetSubnetId: `${network}/subnets/none` } })] },
        subnetProblems: new Map([[nodeClassName('default'), problem('AZURE.NOT_FOUND', 'create the subnet')]]),
      }),
    )
    const said = actions.flatMap((action) => ('conditions' in action ? action.conditions.map(({ type, message }) => [type, message]) : []))
    expect(Object.fromEntries(said)).toMatchObject({
      SubnetsReady: `create the subnet\n${SOME_LINKS.portal}/#@t/resource${network}/subnets`,
      NodeClassReady: 'aksnodeclass default is not ready: SubnetsReady=False: create the subnet',
    })
  })
})
