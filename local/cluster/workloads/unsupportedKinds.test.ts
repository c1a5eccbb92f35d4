import { describe, expect, it } from 'vitest'
import { BUILTINS } from '../../kubernetes/resources/builtins.ts'
import { memoryContext } from '../testing/memoryContext.ts'
import { testPod } from '../testing/objects.ts'
import { startUnsupportedKinds, UNSUPPORTED_KINDS, UNSUPPORTED_KINDS_LINE } from './unsupportedKinds.ts'

/** What acts on a kind: a controller, the API server itself, a kubelet, or, for `data`, the readers of the object. */
const ACTED_ON: { readonly [kind: string]: 'controller' | 'server' | 'kubelet' | 'data' } = {
  Namespace: 'server',
  Node: 'kubelet',
  Pod: 'kubelet',
  PodTemplate: 'data',
  ConfigMap: 'data',
  Secret: 'data',
  ServiceAccount: 'data',
  Event: 'data',
  PersistentVolume: 'data',
  Deployment: 'controller',
  ReplicaSet: 'controller',
  DaemonSet: 'controller',
  ControllerRevision: 'data',
  Job: 'controller',
  PodDisruptionBudget: 'server',
  Lease: 'data',
  StorageClass: 'data',
  CSINode: 'data',
  CSIDriver: 'data',
  VolumeAttachment: 'data',
  PriorityClass: 'data',
  CertificateSigningRequest: 'data',
  ClusterRole: 'data',
  ClusterRoleBinding: 'data',
  Role: 'data',
  RoleBinding: 'data',
}

describe('what the embedded cluster does not run', () => {
  it('is every kind it takes that nobody acts on', () => {
    const notRun = UNSUPPORTED_KINDS.map(({ resource }) => resource.kind)
    expect([...Object.keys(ACTED_ON), ...notRun].sort()).toEqual(BUILTINS.map(({ kind }) => kind).sort())
  })

  it('is said in an Event of each object, once, with the command to run instead', async () => {
    const { context, others, writes } = memoryContext()
    const said: string[] = []
    await startUnsupportedKinds({ ...context, events: { record: ({ kind }, { message }) => said.push(`${kind}: ${message}`) } })
    others.put(testPod('db'))
    others.put(testPod('db', { metadata: { resourceVersion: '2' } }))
    expect(said).toHaveLength(UNSUPPORTED_KINDS.length)
    expect(said[0]).toMatch(
      /^StatefulSet: the embedded cluster does not run a StatefulSet: no pod is made for it; .*npm run controlplane.*--kubeconfig/,
    )
    expect(writes).toEqual([])
  })

  it('is said at the start', () => {
    expect(UNSUPPORTED_KINDS_LINE).toMatch(/StatefulSets, .*PersistentVolumeClaims; .*npm run controlplane/)
  })
})
