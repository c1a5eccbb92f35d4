import type { ClusterEvent, Node, Pod } from '../cluster/client/objects.ts'
import type { AppLine } from './appLine.ts'
import type { ClaimObject } from './claimObject.ts'
import { decidedAt, isTrue } from './claimObject.ts'

/** Tells what happens in the cluster, a line an event: what, why, how much. Fed by watches and by the app's own lines. */
export interface Story {
  pod(now: Pod | undefined, before: Pod | undefined): void
  node(now: Node | undefined, before: Node | undefined): void
  claim(now: ClaimObject | undefined, before: ClaimObject | undefined): void
  /** What Joiner says of a pod it cannot help. */
  event(event: ClusterEvent): void
  app(line: AppLine): void
  /** Tells what has gathered, and now and then how far the things stand that take long. Called several times a second. */
  tick(): void
}

export type StoryOptions = { readonly print: (line: string) => void; readonly now: () => number }

/** A claim that takes longer than this is reported again and again until it is done. */
const LONG_MS = 5_000
/** The component that Joiner's events name. */
const OURS = 'joiner'
const PROGRESS_EVERY_MS = 5_000

export function createStory({ print, now }: StoryOptions): Story {
  const pods = new Map<string, Pod>()
  const claims = new Map<string, ClaimObject>()
  const stranded = new Map<string, number>()
  const joinedAt = new Map<string, number>()
  let progressAt = now()

  /** Told when the last pod that was missing runs, not while pods go away. */
  function tellCount(group: string): void {
    const own = [...pods.values()].filter((pod) => groupOf(pod) === group && pod.metadata.deletionTimestamp === undefined)
    if (own.every(isRunning)) print(`${own.length} of ${own.length} pods of ${group} run`)
  }

  return {
    pod(pod, before) {
      const seen = pod ?? before
      if (seen === undefined) return
      const id = `${seen.metadata.namespace}/${seen.metadata.name}`
      if (pod) pods.set(id, pod)
      else pods.delete(id)
      const group = groupOf(seen)
      if (pod && isUnschedulable(pod) && !(before && isUnschedulable(before))) {
        stranded.set(group, (stranded.get(group) ?? 0) + 1)
      }
      if (pod && isRunning(pod) && before && !isRunning(before)) tellCount(group)
    },
    node(node, before) {
      if (node && !before) {
        joinedAt.set(node.metadata.name, now())
        print(`node ${node.metadata.name} joined`)
      }
      if (node && isReady(node) && !(before && isReady(before))) {
        const age = seconds(now() - (joinedAt.get(node.metadata.name) ?? now()))
        print(`node ${node.metadata.name} is ready, ${age} after it joined`)
      }
      if (!node && before) {
        joinedAt.delete(before.metadata.name)
        print(`node ${before.metadata.name} is gone`)
      }
    },
    claim(claim, before) {
      if (claim) claims.set(claim.metadata.name, claim)
      else if (before) claims.delete(before.metadata.name)
      for (const type of ['Registered', 'Initialized'] as const) {
        if (claim && isTrue(claim, type) && !(before && isTrue(before, type))) {
          print(`nodeclaim ${claim.metadata.name} ${type.toLowerCase()}, ${seconds(now() - decidedAt(claim))} after the decision`)
        }
      }
      if (claim?.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined) {
        print(`nodeclaim ${claim.metadata.name} is being ended: its node is drained, then its machine goes`)
      }
      if (!claim && before) print(`nodeclaim ${before.metadata.name} is gone, its machine and network interface with it`)
    },
    event(event) {
      const { kind, namespace, name } = event.involvedObject
      if (kind === 'Pod' && event.source?.component === OURS && event.type === 'Warning')
        print(`pod ${namespace}/${name}: ${event.message}`)
    },
    app(line) {
      if (line.level === 'info' || line.level === 'warn' || line.level === 'error')
        print(line.level === 'info' ? line.message : `${line.level}: ${line.message}`)
    },
    tick() {
      for (const [group, count] of stranded) print(`${count === 1 ? '1 pod' : `${count} pods`} of ${group} cannot be scheduled`)
      stranded.clear()
      if (now() - progressAt < PROGRESS_EVERY_MS) return
      progressAt = now()
      for (const claim of claims.values()) {
        const age = now() - decidedAt(claim)
        if (age < LONG_MS || isTrue(claim, 'Initialized') || claim.metadata.deletionTimestamp !== undefined) continue
        print(`nodeclaim ${claim.metadata.name}: ${stageOf(claim)} for ${seconds(age)} now`)
      }
    },
  }
}

/** Pods told of together: those of one Deployment, Job or other owner. */
export function groupOf(pod: Pod): string {
  const owner = pod.metadata.ownerReferences?.[0]
  const name = owner?.kind === 'ReplicaSet' ? owner.name.replace(/-[^-]+$/, '') : (owner?.name ?? pod.metadata.name)
  return `${pod.metadata.namespace}/${name}`
}

export function isUnschedulable(pod: Pod): boolean {
  return pod.status?.conditions?.some((condition) => condition.type === 'PodScheduled' && condition.reason === 'Unschedulable') ?? false
}

export function isRunning(pod: Pod): boolean {
  return pod.status?.phase === 'Running'
}

function isReady(node: Node): boolean {
  return node.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false
}

function stageOf(claim: ClaimObject): string {
  if (!isTrue(claim, 'Launched')) return 'waiting for Azure to take the machine'
  return isTrue(claim, 'Registered') ? 'joined, not ready yet' : 'machine is booting'
}

function seconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`
}
