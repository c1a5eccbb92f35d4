import { describe, expect, it } from 'vitest'
import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { parseChange } from '../../shared/wire/change.ts'
import type { KubeObject } from '../kube/kubeJson.ts'
import { DELETED, reduceVersion } from './reducedVersion.ts'
import { wireReducer } from './wireReducer.ts'

const meta = { name: 'x', namespace: 'ns', uid: 'u' }
const owned = { ...meta, ownerReferences: [{ kind: 'Deployment' }] }

describe('what the app is told of', () => {
  const table: { readonly [name: string]: readonly [kind: ObjectKind, object: object, isTold: boolean] } = {
    'a pod that runs': ['pod', { metadata: meta, spec: { containers: [] }, status: { phase: 'Running' } }, true],
    'a pod that has succeeded': ['pod', { metadata: meta, spec: { containers: [] }, status: { phase: 'Succeeded' } }, false],
    'a pod that has failed': ['pod', { metadata: meta, spec: { containers: [] }, status: { phase: 'Failed' } }, false],
    'the ReplicaSet of a Deployment': ['replicaSet', { metadata: owned, spec: { replicas: 1 } }, true],
    'the ReplicaSet of an older revision': ['replicaSet', { metadata: owned, spec: { replicas: 0 } }, false],
    'a ReplicaSet of its own, of no replicas: a buffer may name it': ['replicaSet', { metadata: meta, spec: { replicas: 0 } }, true],
    'a StatefulSet of no replicas': ['statefulSet', { metadata: owned, spec: { replicas: 0 } }, true],
  }
  for (const [name, [kind, object, isTold]] of Object.entries(table)) {
    it(`${isTold ? '' : 'not: '}${name}`, () => {
      const reduced = reduceVersion(wireReducer, kind, object as KubeObject)
      expect(isTold ? reduced.op : reduced).toEqual(isTold ? 'put' : DELETED)
    })
  }
})

it('the annotations of the hash of a NodePool are posted, so that the app sees that it wrote them', () => {
  const annotations = { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/nodepool-hash-version': 'joiner-v1' }
  const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' }
  const spec = { template: { spec: { nodeClassRef, requirements: [] } } }
  const lastApplied = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' }
  const pool = { metadata: { ...meta, annotations: { ...annotations, ...lastApplied } }, spec }
  const reduced = wireReducer('nodePool', pool)
  const change = { seq: 1, at: 0, op: 'put', kind: 'nodePool', key: 'x', object: reduced.ok && reduced.value.compact }
  const posted = parseChange(change)
  expect(posted.ok && posted.value.op === 'put' && posted.value.kind === 'nodePool' && posted.value.object.meta.annotations).toEqual(
    annotations,
  )
})
