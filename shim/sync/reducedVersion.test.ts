import { describe, expect, it } from 'vitest'
import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { KEPT_LISTS } from '../../shared/wire/kept/told.ts'
import { parseKubeChange } from '../../shared/wire/kubeChange.ts'
import type { KubeObject } from '../kube/listObjects.ts'
import { keptReducer } from './keptReducer.ts'
import { DELETED, reduceVersion } from './reducedVersion.ts'

const reducer = keptReducer(KEPT_LISTS)
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
      const reduced = reduceVersion(reducer, kind, object as KubeObject)
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
  const posted = parseKubeChange({ seq: 1, at: 0, op: 'put', kind: 'nodePool', object: reducer('nodePool', pool as KubeObject) })
  expect(posted.ok && posted.value.op === 'put' && posted.value.kind === 'nodePool' && posted.value.object.meta.annotations).toEqual(
    annotations,
  )
})

const STRANDED = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }
const named = (spec: object, conditions: unknown) => ({ metadata: meta, spec, status: { phase: 'Pending', conditions } }) as KubeObject

describe('a pod that is sent again and again', () => {
  it.each<[sentence: string, object: KubeObject, pending: boolean]>([
    ['is one that the scheduler could not place', named({}, [{ type: 'Ready' }, STRANDED]), true],
    ['is not one that the scheduler has not looked at', named({}, []), false],
    ['is not one with a gate', named({}, [{ ...STRANDED, reason: 'SchedulingGated' }]), false],
    ['is not one that has a node', named({ nodeName: 'n' }, [STRANDED]), false],
    ['is not one of nonsense', named({}, 'none'), false],
    ['is not one of nothing', named({}, [null]), false],
  ])('%s', (_sentence, object, pending) => expect(reduceVersion(reducer, 'pod', object).pending).toBe(pending))

  it('is a pod', () => expect(reduceVersion(reducer, 'node', named({}, [STRANDED])).pending).toBe(false))
})

it('a kind that the lists of a later app leave out is reduced by the lists of this program', () => {
  expect(keptReducer({ number: 9, kinds: { pod: { metadata: { name: true } } } })('service', { metadata: meta })).toEqual({
    metadata: meta,
  })
})
