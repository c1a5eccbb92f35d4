/** What a user reads about a pod that is refused before any NodePool is asked, or after all have been asked. */
import { describe, expect, it } from 'vitest'
import { HELPS, messageOf, over } from '../../../../test/scenarios/explained.ts'
import type { Given } from '../../../../test/scenarios/scenario.ts'

const ROWS: { readonly [sentence: string]: { readonly given: Given; readonly says: string } } = {
  'a selector that cannot be understood': {
    given: { pods: { p: { needs: 'team in' } } },
    says: 'requirement on "team": operator In needs at least one value; to do: correct spec.nodeSelector or spec.affinity.nodeAffinity of the pod (POD.INVALID)',
  },
  'a claim that is not there': {
    given: { pods: { p: { mounts: 'data' } } },
    says: 'persistentvolumeclaim default/data does not exist; to do: correct that persistentvolumeclaim, its storage class or its volume (POD.VOLUME)',
  },
  'volumes that contradict each other': {
    given: {
      volumes: { one: { needs: 'zone=z1' }, two: { needs: 'zone=z2' } },
      volumeClaims: { a: { volume: 'one' }, b: { volume: 'two' } },
      pods: { p: { mounts: 'a b' } },
    },
    says: 'persistentvolumeclaim default/b can be used only in topology.kubernetes.io/zone In [z2], and default/a cannot be used there: no node can have all of them; to do: correct that persistentvolumeclaim, its storage class or its volume (POD.VOLUME)',
  },
  'resource claims': {
    given: over({ resourceClaims: ['gpu'] }),
    says: 'spec.resourceClaims (gpu) is not supported; to do: remove spec.resourceClaims, or run the pod on an existing node (POD.UNSUPPORTED_RESOURCE_CLAIM)',
  },
  'a machine by its name': {
    given: over({ requiredNodeTerms: [{ matchExpressions: [], matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }] }),
    says: 'node affinity with matchFields names an existing node, which no new node can be; to do: select nodes by label (POD.UNSUPPORTED_MATCH_FIELDS)',
  },
  'a group that is bound together': {
    given: over({ schedulingGroup: 'gang' }),
    says: 'the pod belongs to scheduling group gang, and groups that are bound together are not supported; to do: remove spec.schedulingGroup (in Kubernetes 1.35: spec.workloadRef), or run the pods on existing nodes (POD.UNSUPPORTED_SCHEDULING_GROUP)',
  },
  'a volume claim of one pod that another pod has': {
    given: {
      nodes: { n1: {} },
      volumes: { v1: {} },
      volumeClaims: { data: { volume: 'v1', once: true } },
      pods: { old: { on: 'n1', mounts: 'data' }, p: { mounts: 'data' } },
    },
    says: 'persistentvolumeclaim default/data is ReadWriteOncePod and is used by pod default/old; to do: wait until that pod is gone, or use access mode ReadWriteOnce (POD.VOLUME)',
  },
  'no pool': { given: { pools: {}, pods: { p: {} } }, says: 'there is no nodepool; to do: create one (POOL.NONE)' },
  'its turn did not come': {
    given: { settings: { maxSteps: 0 }, pods: { p: {} } },
    says: 'the decision reached its limit of work before it looked at the pod; to do: wait; the next decision looks at the pod (SCHEDULING.DEADLINE)',
  },
  'a claim cut to too few values': {
    given: { settings: { maxInstanceTypes: 1 }, pools: { default: { needs: 'type exists min 2' } }, pods: { p: {} } },
    says: 'nodepool default: too few values among the most instance types that one nodeclaim names: minValues of node.kubernetes.io/instance-type is 2, they have 1; to do: lower minValues in spec.template.spec.requirements of the nodepool, or allow more values (SCHEDULING.MIN_VALUES)',
  },
}

describe('a refusal outside of pools says', () => {
  for (const [sentence, row] of Object.entries(ROWS)) {
    it(sentence, () => {
      const message = messageOf(row.given)
      expect(message.replaceAll(/default-[a-z0-9]{5}/g, 'default-*****')).toBe(`Failed to schedule pod, ${row.says}`)
      expect(message).toMatch(HELPS)
    })
  }
})
