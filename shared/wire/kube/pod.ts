import type { Result } from '../../base/result.ts'
import { defined, ownValue } from '../../base/values.ts'
import { nodeName, objectKey, uid } from '../../model/ids.ts'
import { POD_ANNOTATION } from '../../model/labels.ts'
import type { HostPort, Pod, PodVolume } from '../../model/pod.ts'
import type { Problem } from '../../model/problem.ts'
import type { Toleration } from '../../model/taint.ts'
import { epochMs } from '../../model/units.ts'
import { NO_ITEMS, type Trail } from '../codec.ts'
import { VOLUMES_ANYWHERE } from '../kept/keptPod.ts'
import { shareTolerations } from '../objects/pod.ts'
import { NO_LABELS } from '../objects/shared.ts'
import { labels } from './meta.ts'
import { nominatedNodeOf } from './nominatedNode.ts'
import { podConstraintsOf } from './podConstraints.ts'
import { ownerOf } from './podOwner.ts'
import { podRequestsOf } from './podResources.ts'
import { podStatusOf } from './podStatus.ts'
import { instant, integer, items, type KubeObject, type KubeRead, mapOf, maybe, need, object, oneOf, readKube, text } from './read.ts'

export function podFromKube(json: unknown): Result<Pod, Problem> {
  return readKube(pod, json, { kind: 'pod', code: 'POD.INVALID' })
}

export const pod: KubeRead<Pod> = (json, trail) => {
  const root = object(json, trail)
  const metadata = need(root, 'metadata', object, trail)
  return {
    ...podOf({
      metadata,
      spec: need(root, 'spec', object, trail),
      status: maybe(root, 'status', object, trail) ?? {},
      isTemplate: false,
      trail,
    }),
    key: objectKey(need(metadata, 'namespace', text, trail), need(metadata, 'name', text, trail)),
    uid: uid(need(metadata, 'uid', text, trail)),
  }
}

export type PodParts = {
  readonly metadata: KubeObject
  readonly spec: KubeObject
  readonly status: KubeObject
  readonly isTemplate: boolean
  readonly trail: Trail
}

/** Reads a pod without its key and uid, which a template does not have. */
export function podOf({ metadata, spec, status, isTemplate, trail }: PodParts): Omit<Pod, 'key' | 'uid'> {
  const createdAt = maybe(metadata, 'creationTimestamp', instant, trail) ?? epochMs(0)
  const annotations = maybe(metadata, 'annotations', mapOf(text, isDecisive), trail) ?? NO_LABELS
  const podName = maybe(metadata, 'name', text, trail) ?? ''
  return defined({
    labels: maybe(metadata, 'labels', labels, trail) ?? NO_LABELS,
    annotations,
    createdAt,
    deletedAt: maybe(metadata, 'deletionTimestamp', instant, trail),
    ...podStatusOf(status, createdAt, annotations, trail),
    nodeName: named(maybe(spec, 'nodeName', text, trail)),
    ...nominatedNodeOf(metadata, spec, status, trail),
    schedulerName: maybe(spec, 'schedulerName', text, trail) ?? 'default-scheduler',
    schedulingGates: items(spec, 'schedulingGates', nameOf, trail),
    owner: ownerOf(metadata, trail),
    requests: podRequestsOf({ spec, status, limitsAsRequests: isTemplate }, trail),
    tolerations: shareTolerations(items(spec, 'tolerations', toleration, trail)),
    ...podConstraintsOf(spec, trail),
    hostPorts: hostPortsOf(spec, trail),
    volumes: volumesOf(spec, podName, trail),
    resourceClaims: items(spec, 'resourceClaims', nameOf, trail),
    schedulingGroup: schedulingGroupOf(spec, trail),
    priority: maybe(spec, 'priority', integer, trail) ?? 0,
    priorityClassName: maybe(spec, 'priorityClassName', text, trail),
    preemptionPolicy: maybe(spec, 'preemptionPolicy', oneOf('PreemptLowerPriority', 'Never'), trail) ?? 'PreemptLowerPriority',
    terminationGracePeriodSeconds: maybe(spec, 'terminationGracePeriodSeconds', integer, trail),
  })
}

const effect = oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute')

/** Reports whether decisions can depend on the annotation. Changes of other annotations are ignored. */
function isDecisive(key: string): boolean {
  return key.startsWith('karpenter.sh/') || key.startsWith('joiner.dev/') || DECISIVE.has(key)
}

const DECISIVE: ReadonlySet<string> = new Set([
  POD_ANNOTATION.deletionCost,
  'cluster-autoscaler.kubernetes.io/safe-to-evict',
  'kubernetes.io/config.mirror',
])

const nameOf: KubeRead<string> = (json, trail) => need(object(json, trail), 'name', text, trail)

/** Reads the group of the pod. Kubernetes 1.35 names it in `workloadRef`, later versions in `schedulingGroup`. */
function schedulingGroupOf(spec: KubeObject, trail: Trail): string | undefined {
  const [group, workload] = [maybe(spec, 'schedulingGroup', object, trail), maybe(spec, 'workloadRef', object, trail)]
  if (group !== undefined) return maybe(group, 'podGroupName', text, trail) ?? ''
  return workload === undefined ? undefined : `${need(workload, 'name', text, trail)}/${maybe(workload, 'podGroup', text, trail) ?? ''}`
}

function named(name: string | undefined): Pod['nodeName'] | undefined {
  return name === undefined || name === '' ? undefined : nodeName(name)
}

const toleration: KubeRead<Toleration> = (json, trail) => {
  const source = object(json, trail)
  const given = (name: string): string | undefined => maybe(source, name, text, trail) || undefined
  return defined({
    key: given('key'),
    operator: given('operator') === undefined ? ('Equal' as const) : need(source, 'operator', oneOf('Exists', 'Equal', 'Lt', 'Gt'), trail),
    value: given('value'),
    effect: given('effect') === undefined ? undefined : need(source, 'effect', effect, trail),
    tolerationSeconds: maybe(source, 'tolerationSeconds', integer, trail),
  })
}

/** Returns the host ports of containers and sidecars, since sidecars run as long as the pod. */
function hostPortsOf(spec: KubeObject, trail: Trail): readonly HostPort[] {
  const onHost = spec['hostNetwork'] === true
  const port: KubeRead<HostPort> = (json, at) => {
    const source = object(json, at)
    const shown = maybe(source, 'hostPort', integer, at) ?? (onHost ? maybe(source, 'containerPort', integer, at) : undefined)
    return { ip: maybe(source, 'hostIP', text, at) || '0.0.0.0', port: shown ?? 0, protocol: maybe(source, 'protocol', text, at) ?? 'TCP' }
  }
  const ports: KubeRead<readonly HostPort[]> = (json, at) => items(object(json, at), 'ports', port, at)
  const running = items(spec, 'containers', ports, trail)
  const sidecars = items(
    spec,
    'initContainers',
    (json, at) => (object(json, at)['restartPolicy'] === 'Always' ? ports(json, at) : NO_ITEMS),
    trail,
  )
  const all = [...running, ...sidecars].flat().filter(({ port: number }) => number !== 0)
  return all.length === 0 ? NO_ITEMS : all
}

const ANYWHERE: ReadonlySet<string> = new Set(VOLUMES_ANYWHERE)

function volumesOf(spec: KubeObject, podName: string, trail: Trail): readonly PodVolume[] {
  const volume: KubeRead<PodVolume | undefined> = (json, at) => {
    const source = object(json, at)
    const type = Object.keys(source).find((key) => key !== 'name' && ownValue(source, key) !== null)
    if (type === undefined || ANYWHERE.has(type)) return undefined
    const body = need(source, type, object, at)
    switch (type) {
      case 'persistentVolumeClaim':
        return { kind: 'claim', claimName: need(body, 'claimName', text, at) }
      case 'ephemeral':
        return ephemeral(body, `${podName}-${need(source, 'name', text, at)}`, at)
      case 'csi':
        return { kind: 'csi', driver: need(body, 'driver', text, at) }
      default:
        return { kind: 'other', type }
    }
  }
  const found = items(spec, 'volumes', volume, trail).filter((one) => one !== undefined)
  return found.length === 0 ? NO_ITEMS : found
}

function ephemeral(body: KubeObject, claimName: string, trail: Trail): PodVolume {
  const template = maybe(body, 'volumeClaimTemplate', object, trail) ?? {}
  const spec = maybe(template, 'spec', object, trail) ?? {}
  return defined({ kind: 'ephemeral' as const, claimName, storageClassName: maybe(spec, 'storageClassName', text, trail) })
}
