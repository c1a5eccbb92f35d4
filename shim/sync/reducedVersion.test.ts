import { describe, expect, it } from 'vitest'
import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
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
