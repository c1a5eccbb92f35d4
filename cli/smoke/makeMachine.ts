import * as z from 'zod'
import { addAll } from '../../shared/base/lists.ts'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { planLaunch } from '../../shared/engine/launch/planLaunch.ts'
import { canRunPods } from '../../shared/engine/lifecycle/registration.ts'
import { nodeClaimName, nodeClassName, nodeName, uid } from '../../shared/model/ids.ts'
import type { LaunchCandidate } from '../../shared/model/instance.ts'
import { API_GROUP, LABEL, type Meta, NODE_CLASS_KIND, TAINT_KEY } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import { type NodeClaim, nodeNameOf } from '../../shared/model/nodeClaim.ts'
import type { NodeClass } from '../../shared/model/nodeClass.ts'
import type { UnavailableOffering } from '../../shared/model/unavailableOffering.ts'
import { durationMs, type EpochMs, later } from '../../shared/model/units.ts'
import { KINDS, type KindName, type MachineKind } from './kinds.ts'
import { type SmokeMachine, withMachine } from './record.ts'
import { SMOKE_KEY, type SmokeCluster } from './smokeCluster.ts'
import { type SmokeRun, secondsSince, waitFor } from './smokeRun.ts'

/** A machine whose node is ready. */
export type Made = { readonly claim: NodeClaim; readonly machine: SmokeMachine; readonly node: Node; readonly readySeconds: number }

const TOKEN_MS = durationMs(30 * 60_000)
const LAUNCH_MS = durationMs(60_000)
const READY_MS = 15 * 60_000
const RETRY_MS = 15_000
/** Refused offerings before the run gives up. The first ones are spot. */
const MOST_TRIES = 10

/** Makes a machine as the app does, spot if Azure has some, and waits until its node is ready. The error says what Azure or the node said. */
export async function makeMachine(run: SmokeRun, kind: KindName, signal: AbortSignal): Promise<Result<Made, string>> {
  const startedAt = run.clock.now()
  const { run: name, machines } = run.journal.record()
  // A name is never used twice in a run, so that a machine of a killed run is never taken for a new one.
  const wish = wishOf(run.cluster, kind, { name: `smoke-${name}-${machines.length + 1}`, run: name, now: startedAt })
  const { claim } = wish
  const launched = await launchOne(run, wish, signal)
  if (!launched.ok) return launched
  const node = await joinedNode(run, claim, signal)
  if (!node.ok) return node
  return ok({ claim, machine: launched.value, node: node.value, readySeconds: secondsSince(startedAt, run) })
}

/** A claim that is in no cluster, with its class. */
export type MachineWish = { readonly claim: NodeClaim; readonly nodeClass: NodeClass; readonly kind: KindName }

/** Tries offerings until Azure takes one. What a refusal teaches holds for the next try. */
async function launchOne(run: SmokeRun, wish: MachineWish, signal: AbortSignal): Promise<Result<SmokeMachine, string>> {
  const { cluster, clock, journal } = run
  const { claim, nodeClass, kind } = wish
  const types = await cluster.catalog.instanceTypes(nodeClass, signal)
  if (types.length === 0) return err('Azure tells no sizes that Joiner can use in the region')
  const refused: UnavailableOffering[] = []
  let said = 'no size of the region has these properties'
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const candidate = spotFirst(planLaunch(claim, types, refused, clock.now()).candidates)
    if (candidate === undefined) return err(said)
    const { size, zone, capacityType } = candidate.choice
    const machine: SmokeMachine = { claim: claim.name, kind, size, zone, capacityType }
    journal.change((record) => withMachine(record, machine))
    const bootstrapToken = () => cluster.api.putBootstrapToken(claim.name, later(clock.now(), TOKEN_MS), signal)
    const launched = await cluster.cloud.launch({ claim, nodeClass, candidate, bootstrapToken, within: LAUNCH_MS }, signal)
    if (launched.ok) {
      const { imageId } = launched.value
      const made = imageId === undefined ? machine : { ...machine, imageId: run.redactor.text(imageId) }
      journal.change((record) => withMachine(record, made))
      return ok(made)
    }
    const { problem, unavailable, own = [], then } = launched.error
    said = `${size} in ${zone}, ${capacityType}: ${problem.message} (${problem.code})`
    if (then === 'stop') return err(said)
    addAll(refused, [...unavailable, ...own])
    if (unavailable.length + own.length === 0 || then === 'retry') await clock.sleep(problem.retryAfterMs ?? RETRY_MS, signal)
  }
  return err(said)
}

/** The candidates are the cheapest first. */
function spotFirst(candidates: readonly LaunchCandidate[]): LaunchCandidate | undefined {
  return (
    candidates.find(({ choice }) => choice.capacityType === 'spot') ?? candidates.find(({ choice }) => choice.capacityType === 'on-demand')
  )
}

/** Waits for the node, and takes off the taint that keeps pods away from a node that has just joined. */
async function joinedNode(run: SmokeRun, claim: NodeClaim, signal: AbortSignal): Promise<Result<Node, string>> {
  const { cluster, journal } = run
  const name = nodeName(nodeNameOf(claim, cluster.machineNames))
  let last = 'Azure has not made the machine yet'
  const look = async (): Promise<Result<Node, string> | undefined> => {
    const instance = await cluster.cloud.get(claim.name, signal)
    if (instance === undefined) return err(`machine ${name} is gone before its node was ready`)
    if (instance.state.kind === 'failed') return err(`machine ${name} failed: ${instance.state.refusal.problem.message}`)
    const node = await cluster.api.getNode(name, signal)
    last = node === undefined ? 'its machine runs, and no node has joined' : `its node is not ready: ${reasonOf(node)}`
    if (node === undefined || !canRunPods(node)) return undefined
    const taints = node.taints.filter(({ key }) => key !== TAINT_KEY.unregistered)
    // The app manages nodes that have the label of a class. This node loses the label.
    const patch = { taints, labels: { ...node.meta.labels, [LABEL.registered]: 'true' }, labelsGone: [LABEL.nodeClass] }
    const patched = await cluster.api.patchNode(node, patch, signal)
    return patched.ok ? patched : undefined
  }
  const seen = await waitFor(run, READY_MS, look, signal)
  if (seen === undefined) return err(`node ${name} is not ready after ${READY_MS / 60_000} minutes: ${last}`)
  if (!seen.ok) return seen
  await cluster.api.deleteBootstrapToken(claim.name, signal)
  const labels = labelsOf(run, seen.value)
  journal.change((record) => ({
    ...record,
    machines: record.machines.map((each) => (each.claim === claim.name ? { ...each, labels } : each)),
  }))
  return seen
}

function reasonOf(node: Node): string {
  const ready = node.conditions.find(({ type }) => type === 'Ready')
  const taints = node.taints.map(({ key }) => key).join(', ')
  return ready?.status === 'True' ? `taints ${taints}` : (ready?.message ?? 'the kubelet has not reported yet')
}

const texts = z.record(z.string(), z.string())

function labelsOf({ redactor }: SmokeRun, { meta }: Node): { readonly [key: string]: string } {
  return texts.parse(redactor.value(meta.labels))
}

function metaOf(name: string, now: EpochMs, labels: Meta['labels']): Meta {
  return { uid: uid(name), labels, annotations: {}, createdAt: now, generation: 1, resourceVersion: '1', finalizers: [] }
}

/** What a NodePool of the kind would ask for, with an AKSNodeClass whose other fields have their defaults. */
export function wishOf(
  { config }: Pick<SmokeCluster, 'config'>,
  kind: KindName,
  { name, run, now }: { readonly name: string; readonly run: string; readonly now: EpochMs },
): MachineWish {
  const { spec: own, requirements }: MachineKind = KINDS[kind]
  // The disk is managed, so that the run shows that the disk goes with its machine.
  const spec = {
    osDiskSizeGb: 128,
    osDiskType: 'Managed',
    imageFamily: 'Ubuntu',
    tags: {},
    kubelet: {},
    gpuMode: 'Driver',
    ...own,
  } as const
  const status = { conditions: [], kubernetesVersion: config.kubernetesVersion, images: [] }
  const nodeClass = { name: nodeClassName('smoke'), meta: metaOf('smoke', now, {}), spec, status }
  const claim: NodeClaim = {
    name: nodeClaimName(name),
    meta: metaOf(name, now, { [SMOKE_KEY]: run }),
    spec: {
      nodeClassRef: { group: API_GROUP.azure, kind: NODE_CLASS_KIND, name: nodeClass.name },
      requirements: requirements ?? [{ key: LABEL.arch, operator: 'In', values: ['amd64'] }],
      requests: { cpu: 1_000, memory: 2 ** 30 },
      taints: [{ key: SMOKE_KEY, effect: 'NoSchedule' }],
      startupTaints: [],
      expireAfter: 'Never',
    },
    status: { conditions: [], capacity: {}, allocatable: {} },
  }
  return { claim, nodeClass, kind }
}
