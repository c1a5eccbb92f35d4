/** The controllers of workloads in virtual time: they replace the pods of Deployments and update the PodDisruptionBudgets. */
import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'
import { objectKey, uid } from '../../../shared/model/ids.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { REPLICA_SET, unseenPod } from '../../builders/pod.ts'

export type Load = {
  readonly name: string
  readonly cpus: number
  readonly memoryGib: number
  readonly replicas: number
  /** The zone of all its pods. Absent: any zone. */
  readonly zone?: string
  /** The share of the replicas that a PodDisruptionBudget keeps. Absent: no budget. */
  readonly kept?: number
}

/** Returns a function for each tick. The loads may change from tick to tick: the pods of a removed load are removed, too. */
export function createWorkload({ objects, clock }: MemoryWorld): (loads: readonly Load[]) => void {
  let kept: readonly Load[] | undefined
  let isSettled = false
  objects.listen(({ kind }) => {
    if (kind === 'pod') isSettled = false
  })
  return (loads) => {
    if (isSettled && kept === loads) return
    kept = loads
    isSettled = true
    const staying = objects.all('pod').filter(({ deletedAt, owner }) => deletedAt === undefined && owner?.kind === REPLICA_SET.kind)
    const byLoad = Map.groupBy(staying, ({ owner }) => owner?.name ?? '')
    for (const load of loads) keep(load, byLoad.get(load.name) ?? [])
    const names = new Set(loads.map(({ name }) => name))
    for (const [name, pods] of byLoad) if (!names.has(name)) for (const { key } of pods) objects.remove('pod', key)
    for (const { key } of objects.all('podDisruptionBudget'))
      if (!names.has(key.split('/')[1] ?? '')) objects.remove('podDisruptionBudget', key)
  }

  function keep(load: Load, pods: readonly Pod[]): void {
    if (load.kept !== undefined) putBudget(load, pods.filter(isUp).length, desired(load))
    for (let missing = load.replicas - pods.length; missing > 0; missing--) make(load)
    for (const { key } of fewestWork(pods).slice(0, Math.max(0, pods.length - load.replicas))) objects.remove('pod', key)
  }

  /** A pod on a removed machine is not healthy any more. */
  function isUp({ phase, nodeName }: Pod): boolean {
    return phase === 'Running' && nodeName !== undefined && objects.get('node', nodeName) !== undefined
  }

  function make({ name, cpus, memoryGib, zone }: Load): void {
    const id = objects.newUid()
    const owner = { ...REPLICA_SET, name, uid: uid(`uid-${name}`) }
    const nodeSelector = zone === undefined ? {} : { [LABEL.zone]: zone }
    const labels = { app: name }
    const shape = { name: `${name}-${id}`, uid: id, cpus, memoryGib, owner, labels, nodeSelector, createdAt: clock.now(), ...GRACE }
    objects.put('pod', unseenPod(shape))
  }

  function putBudget({ name, replicas }: Load, healthy: number, desired: number): void {
    objects.put('podDisruptionBudget', {
      key: objectKey('default', name),
      uid: uid(`budget-${name}`),
      selector: { matchLabels: { app: name }, matchExpressions: [] },
      disruptionsAllowed: Math.max(0, healthy - desired),
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: replicas,
      unhealthyPodEvictionPolicy: 'IfHealthyBudget',
      conditions: [],
    })
  }
}

/** The default of the API server. */
const GRACE = { terminationGracePeriodSeconds: 30 } as const

/** At most one pod fewer than there are: a budget that allows no eviction would block drains forever. */
function desired({ kept = 0, replicas }: Load): number {
  return Math.min(Math.ceil(kept * replicas), replicas - 1)
}

/** The order in which a ReplicaSet deletes pods: first pods without a node, then the youngest. */
function fewestWork(pods: readonly Pod[]): readonly Pod[] {
  return [...pods].sort((first, second) => bound(first) - bound(second) || second.createdAt - first.createdAt)
}

function bound({ nodeName }: Pod): number {
  return nodeName === undefined ? 0 : 1
}
