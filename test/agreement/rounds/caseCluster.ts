/** A real control plane that holds one random world at a time: creates its objects, reports what the scheduler does, and removes all objects. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ObjectByKind, ObjectKind } from '../../../shared/model/clusterObjects.ts'
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import { objectFromKube } from '../../../shared/wire/kube/object.ts'
import type { PodManifest } from '../../generators/randomPods.ts'
import { NAMESPACES } from '../../generators/words.ts'
import { rollOut } from '../daemonSets.ts'
import { type KubeCalls, PAUSE_MS } from '../kubeCalls.ts'
import { isBound, isJudged, type SeenPod } from '../realCluster.ts'
import { csiNodeObject, type Machine, nodeObject, type StorageObjects } from './manifests.ts'
import { createVolumeProvisioner, type SeenClaim } from './volumeProvisioner.ts'

export type CasePod = SeenPod & { readonly metadata: { readonly namespace: string; readonly uid: string } }

export type SeenObjects = Pick<ClusterSnapshot['objects'], keyof typeof PATHS>

export interface CaseCluster {
  /** Creates the namespaces with the labels that selectors ask for. Called once for all cases. */
  prepare(): Promise<void>
  createStorage(storage: StorageObjects): Promise<void>
  createDaemonSets(sets: readonly object[]): Promise<void>
  /** Creates nodes. `disks` is the attach limit that the disk driver reports. Undefined if the driver reports none. */
  createMachines(machines: readonly { readonly machine: Machine; readonly disks?: number | undefined }[]): Promise<void>
  /** Makes a node that was coming up ready. */
  bringUp(machine: Machine): Promise<void>
  removeMachines(names: readonly string[]): Promise<void>
  /** Creates one workload after another. If `nominated` is given, a pod gets its nominated node before the scheduler looks at it. */
  createPods(pods: readonly PodManifest[], nominated?: ReadonlyMap<string, string>): Promise<void>
  /** Removes the pods, the claims of their ephemeral volumes and their volumes. */
  removePods(keys: readonly string[]): Promise<void>
  /** Waits until the nodes accept pods and the pods of DaemonSets are bound where they can be. */
  settle(): Promise<void>
  /** Returns the pods that no DaemonSet made, once the scheduler has nothing more to do. */
  judged(): Promise<readonly CasePod[]>
  seen(): Promise<SeenObjects>
  clear(): Promise<void>
}

const PATHS = {
  pod: '/api/v1/pods',
  node: '/api/v1/nodes',
  daemonSet: '/apis/apps/v1/daemonsets',
  persistentVolumeClaim: '/api/v1/persistentvolumeclaims',
  persistentVolume: '/api/v1/persistentvolumes',
  storageClass: '/apis/storage.k8s.io/v1/storageclasses',
  csiNode: '/apis/storage.k8s.io/v1/csinodes',
  namespace: '/api/v1/namespaces',
} as const satisfies { readonly [Kind in ObjectKind]?: string }

const DAEMON_SETS = '/apis/apps/v1/namespaces/kube-system/daemonsets'
const NOT_READY = 'node.kubernetes.io/not-ready'
/** The scheduler is idle after this time without an event. It tries a refused pod again after each event. */
const QUIET_MS = 900
/** The scheduler binds a pod about a second after its volume was made. */
const AFTER_VOLUME_MS = 2_000

type SeenNode = {
  readonly metadata: { readonly name: string; readonly labels?: { readonly [key: string]: string } }
  readonly spec: { readonly taints?: readonly { readonly key: string }[]; readonly unschedulable?: boolean }
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

export function createCaseCluster(calls: KubeCalls, signal: AbortSignal): CaseCluster {
  const { call, list, create, remove, until } = calls
  const podPath = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
    `/api/v1/namespaces/${namespace}/pods/${name}`
  const claimPath = ({ namespace, name }: SeenClaim['metadata']): string => `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`
  const patch = (path: string, body: object) => call({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' })
  const allPods = () => list<CasePod>(PATHS.pod)
  const claims = () => list<SeenClaim>(PATHS.persistentVolumeClaim)

  const provision = createVolumeProvisioner(calls)

  async function settle(): Promise<void> {
    await until(async () =>
      (await list<SeenNode>(PATHS.node)).every((node) => !isReady(node) || !node.spec.taints?.some(({ key }) => key === NOT_READY)),
    )
    await rollOut(calls)
    await until(async () => (await allPods()).filter(isDaemon).every(isJudged))
  }

  const read = async <Kind extends keyof typeof PATHS>(kind: Kind): Promise<readonly ObjectByKind[Kind][]> =>
    (await list<unknown>(PATHS[kind])).map((json) => {
      const result = objectFromKube(kind, json)
      if (!result.ok) throw new Error(`${kind}: ${result.error.message}`)
      return result.value
    })

  async function freeOfFinalizers(paths: readonly string[]): Promise<void> {
    for (const path of paths) await patch(path, { metadata: { finalizers: null } }).catch(() => undefined)
  }

  async function removeClaims(gone: readonly SeenClaim[]): Promise<void> {
    const paths = gone.map(({ metadata }) => claimPath(metadata))
    await remove(paths)
    await freeOfFinalizers(paths)
  }

  return {
    async prepare() {
      for (const name of [...NAMESPACES, 'kube-system']) {
        const found = (await read('namespace')).some((each) => each.name === name)
        if (!found) await create(PATHS.namespace, [{ metadata: { name } }])
        await patch(`${PATHS.namespace}/${name}`, { metadata: { labels: { kind: name } } })
      }
    },
    async createStorage(storage) {
      await create(PATHS.storageClass, storage.classes)
      await create(PATHS.persistentVolume, storage.volumes)
      await create('/api/v1/namespaces/default/persistentvolumeclaims', storage.claims)
      await until(async () => (await claims()).every((claim) => !storage.settling.includes(claim.metadata.name) || hasItsPhase(claim)))
    },
    createDaemonSets: (sets) => create(DAEMON_SETS, sets),
    async createMachines(machines) {
      // The limit comes first: a scheduler that sees a node without a limit takes the limit as infinite.
      await create(
        PATHS.csiNode,
        machines.flatMap(({ machine, disks }) => (disks === undefined ? [] : [csiNodeObject(machine.name, disks)])),
      )
      await create(
        PATHS.node,
        machines.map(({ machine }) => nodeObject(machine)),
      )
    },
    async bringUp(machine) {
      const path = `${PATHS.node}/${machine.name}`
      const { metadata, spec, status } = nodeObject(machine) as {
        readonly metadata: object
        readonly spec: object
        readonly status: object
      }
      await patch(path, { metadata, spec })
      await patch(`${path}/status`, { status })
    },
    async removeMachines(names) {
      const pods = (await allPods()).filter(({ spec }) => spec.nodeName !== undefined && names.includes(spec.nodeName))
      await remove([...names.map((name) => `${PATHS.node}/${name}`), ...names.map((name) => `${PATHS.csiNode}/${name}`)])
      await remove(pods.map(({ metadata }) => podPath(metadata)))
    },
    async createPods(pods, nominated = new Map()) {
      for (const workload of Map.groupBy(pods, workloadOf).values()) {
        for (const [namespace, own] of Map.groupBy(workload, ({ metadata }) => metadata.namespace))
          await create(`/api/v1/namespaces/${namespace}/pods`, nominated.size === 0 ? own : own.map(gated))
      }
      for (const { metadata } of nominated.size === 0 ? [] : pods) {
        const nominatedNodeName = nominated.get(`${metadata.namespace}/${metadata.name}`)
        if (nominatedNodeName !== undefined) await patch(`${podPath(metadata)}/status`, { status: { nominatedNodeName } })
      }
      for (const { metadata } of nominated.size === 0 ? [] : pods) await patch(podPath(metadata), { spec: { schedulingGates: null } })
    },
    async removePods(keys) {
      await remove(keys.map((key) => podPath({ namespace: key.split('/')[0] ?? '', name: key.split('/')[1] ?? '' })))
      const isOwn = ({ metadata }: SeenClaim): boolean => keys.some((key) => `${metadata.namespace}/${metadata.name}` === `${key}-scratch`)
      await removeClaims((await claims()).filter(isOwn))
      await until(async () => !(await claims()).some(isOwn))
    },
    settle,
    async judged() {
      let before = ''
      let quietAt = Date.now() + QUIET_MS
      for (;;) {
        const isProvisioning = await provision()
        const pods = await allPods()
        const own = pods.filter((pod) => !isDaemon(pod))
        if (own.every(isBound)) return own
        const now = pods.map((pod) => `${pod.metadata.name} ${pod.spec.nodeName} ${isJudged(pod)}`).join()
        if (isProvisioning) quietAt = Math.max(quietAt, Date.now() + AFTER_VOLUME_MS)
        if (now !== before || !pods.every(isJudged)) quietAt = Math.max(quietAt, Date.now() + QUIET_MS)
        if (Date.now() >= quietAt) return own
        before = now
        await sleep(PAUSE_MS, undefined, { signal })
      }
    },
    seen: async () => ({
      pod: await read('pod'),
      node: await read('node'),
      daemonSet: await read('daemonSet'),
      persistentVolumeClaim: await read('persistentVolumeClaim'),
      persistentVolume: await read('persistentVolume'),
      storageClass: await read('storageClass'),
      csiNode: await read('csiNode'),
      namespace: await read('namespace'),
    }),
    async clear() {
      const spaces = [...NAMESPACES, 'kube-system']
      const all = (path: string) => call({ method: 'DELETE', path, query: { gracePeriodSeconds: '0' } })
      await all(DAEMON_SETS)
      await until(async () => {
        for (const space of spaces) await all(`/api/v1/namespaces/${space}/pods`)
        for (const path of [PATHS.node, PATHS.csiNode, PATHS.storageClass, PATHS.persistentVolume]) await all(path)
        await removeClaims(await claims())
        const volumes = await list<SeenNode>(PATHS.persistentVolume)
        await freeOfFinalizers(volumes.map(({ metadata }) => `${PATHS.persistentVolume}/${metadata.name}`))
        const kinds = ['pod', 'node', 'csiNode', 'storageClass', 'persistentVolume', 'persistentVolumeClaim'] as const
        const left = await Promise.all(kinds.map((kind) => list(PATHS[kind])))
        return left.every((items) => items.length === 0)
      })
    },
  }
}

/** Reports whether the volume controller has found the volume that the claim names, or that there is none. */
function hasItsPhase({ status }: SeenClaim): boolean {
  return status?.phase === 'Bound' || status?.phase === 'Lost'
}

/** The gate keeps the scheduler away from the pod until the pod has its nominated node. */
function gated({ metadata, spec }: PodManifest): PodManifest {
  return { metadata, spec: { ...spec, schedulingGates: [{ name: 'agreement.example.com/nominated' }] } }
}

function workloadOf({ metadata }: PodManifest): string {
  return metadata.name.replace(/-\d+$/, '')
}

function isReady({ status }: SeenNode): boolean {
  return status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false
}

function isDaemon(pod: SeenPod): boolean {
  return pod.metadata.ownerReferences !== undefined
}
