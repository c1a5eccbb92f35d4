/**
 * A pool that is Ready makes nodes, for a pod that any node could take or to keep its number of replicas. A pool that makes none is not Ready, and
 * says why.
 */

import { describe, expect, it } from 'vitest'
import { ago, MINUTE } from '../../../test/builders/clock.ts'
import { statusOf } from '../../../test/builders/decided.ts'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import { nodeClassName } from '../../model/ids.ts'
import { LABEL } from '../../model/labels.ts'
import { fleetSnapshotOf } from '../cluster/fleet.ts'
import { decideProvisioning } from '../scheduling/planningState.ts'
import { decideStaticPools } from '../staticPools/decideStaticPools.ts'
import { withStatus } from './decideStatus.ts'

const bare = { status: { conditions: [], resources: {} } }
const OTHER_SIZE = [{ key: LABEL.instanceType, operator: 'In', values: ['none'] }] as const
const nobody = { labels: { 'kubernetes.io/hostname': 'a' } }

const POOLS: { readonly [sentence: string]: { readonly objects: SnapshotShape['objects']; readonly says: string } } = {
  'one without rules': { objects: { nodePool: [nodePool(bare)] }, says: '' },
  'one that keeps a number of nodes': { objects: { nodePool: [nodePool({ ...bare, replicas: 2 })] }, says: '' },
  'one that keeps a number of nodes, and that no size meets': {
    objects: { nodePool: [nodePool({ ...bare, replicas: 2, template: { requirements: OTHER_SIZE } })] },
    says: 'NoCompatibleInstanceTypes: none of the 1 sizes of the region meets node.kubernetes.io/instance-type In [none] (values that exist: Standard_D4as_v6); to do: change spec.template.spec.requirements of the nodepool',
  },
  'one whose class is not there': {
    objects: {
      nodePool: [nodePool({ ...bare, template: { nodeClassRef: { ...nodePool().template.nodeClassRef, name: nodeClassName('gone') } } })],
    },
    says: 'NodeClassNotFound: aksnodeclass gone does not exist; create it, or correct spec.template.spec.nodeClassRef.name',
  },
  'one whose class goes': {
    objects: { nodePool: [nodePool(bare)], nodeClass: [nodeClass({ meta: { deletedAt: ago(MINUTE) } })] },
    says: 'NodeClassTerminating: aksnodeclass default is being deleted; refer to another one',
  },
  'one that no size meets': {
    objects: { nodePool: [nodePool({ ...bare, template: { requirements: OTHER_SIZE } })] },
    says: 'NoCompatibleInstanceTypes: none of the 1 sizes of the region meets node.kubernetes.io/instance-type In [none] (values that exist: Standard_D4as_v6); to do: change spec.template.spec.requirements of the nodepool',
  },
  'one that has a limit below nothing': {
    objects: { nodePool: [nodePool({ ...bare, limits: { cpu: -5_000, memory: 2 ** 30, nodes: -1 } })] },
    says: 'NodePoolValidationFailed: spec.limits["cpu"]: -5 is negative; write an amount of at least 0, or remove it; spec.limits["nodes"]: -1 is negative; write an amount of at least 0, or remove it',
  },
  'one with a limit that cannot be read': {
    objects: {
      nodePool: [
        nodePool({
          ...bare,
          limits: { cpu: 0 },
          unreadableLimits: ['spec.limits["cpu"]: quantity "1e1.5": unable to parse quantity\'s suffix'],
        }),
      ],
    },
    says: 'NodePoolValidationFailed: spec.limits["cpu"]: quantity "1e1.5": unable to parse quantity\'s suffix; write a quantity such as 100, 500m or 10Gi',
  },
  'one that breaks a rule': {
    objects: { nodePool: [nodePool({ ...bare, template: nobody })] },
    says: 'NodePoolValidationFailed: label "kubernetes.io/hostname": the label is restricted; use a label of your own domain, or a well-known label of docs/reference.md',
  },
}

describe('a pool that is ready makes nodes, and another says why not', () => {
  for (const [sentence, { objects, says }] of Object.entries(POOLS)) {
    it(sentence, () => {
      const before = snapshot({ types: [instanceType()], objects: { pod: [pod()], ...objects } })
      const after = withStatus(before, statusOf(before))
      const conditions = after.objects.nodePool[0]?.status.conditions ?? []
      const failing = conditions.filter(({ type, status }) => type !== 'Ready' && status === 'False')
      expect(failing.map(({ reason, message }) => `${reason}: ${message}`).join()).toBe(says)
      const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
      const decisions = [decideProvisioning(after), decideStaticPools(fleetSnapshotOf(after), { actions: [], reasons: [] })]
      const makes = decisions.some(({ actions }) => actions.some(({ kind }) => kind === 'createClaim'))
      expect({ isReady, makes }).toEqual({ isReady: says === '', makes: says === '' })
    })
  }
})
