/** What the controllers of workloads do in virtual time: pods of Deployments are made anew, and their budgets counted. */
import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'
import { objectKey, uid } from '../../../shared/model/ids.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { pod, REPLICA_SET } from '../../builders/pod.ts'

export type Load = {
  readonly name: string
  readonly cpus: number
  readonly memoryGib: number
  readonly replicas: number
  /** Its pods run nowhere else. */
  readonly zone?: string
  /** Share of the replicas that a budget keeps; none without it. */
  readonly kept?: number
}

/** In each tick. Which loads there are may change from tick to tick; pods of a load that is gone go, too. */
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

  /** A pod that ran on a machine that is gone is healthy no more. */
  function isUp({ phase, nodeName }: Pod): boolean {
    return phase === 'Running' && nodeName !== undefined && objects.get('node', nodeName) !== undefined
  }

  function make({ name, cpus, memoryGib, zone }: Load): void {
    const id = objects.newUid()
    const owner = { ...REPLICA_SET, name, uid: uid(`uid-${name}`) }
    const nodeSelector = zone === undefined ? {} : { [LABEL.zone]: zone }
    const labels = { app: name }
    const shape = { name: `${name}-${id}`, uid: id, cpus, memoryGib, owner, labels, nodeSelector, createdAt: clock.now(), ...GRACE }
    // The scheduler has not looked yet.
    const { unschedulableSince: _later, ...made } = pod(shape)
    objects.put('pod', made)
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

/** As the API server writes it where nobody says. */
const GRACE = { terminationGracePeriodSeconds: 30 } as const

/** Always one pod less than there are: a budget that never allows anything would hold drains for ever. */
function desired({ kept = 0, replicas }: Load): number {
  return Math.min(Math.ceil(kept * replicas), replicas - 1)
}

/** A ReplicaSet ends pods without a node first, then the youngest. */
function fewestWork(pods: readonly Pod[]): readonly Pod[] {
  return [...pods].sort((first, second) => bound(first) - bound(second) || second.createdAt - first.createdAt)
}

function bound({ nodeName }: Pod): number {
  return nodeName === undefined ? 0 : 1
}
