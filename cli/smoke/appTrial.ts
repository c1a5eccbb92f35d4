/**
 * A trial of the deployed app. The run makes a NodePool and a pod that only nodes of this NodePool may run, so the app makes a machine. Each object
 * carries the label of the run, and each machine carries the tag of the run.
 */
import * as z from 'zod'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { canRunPods } from '../../shared/engine/lifecycle/registration.ts'
import { appFinding } from '../../shared/engine/preflight/appFinding.ts'
import { isSuccess } from '../../shared/kubeclient/status.ts'
import { nodeName } from '../../shared/model/ids.ts'
import { API_GROUP, LABEL, NODE_CLASS_KIND } from '../../shared/model/labels.ts'
import { askApp } from '../appAnswer.ts'
import type { Access, Environment } from '../clusterAccess.ts'
import { listObjects, refused } from '../down/kubeObjects.ts'
import { NAMESPACE, SHELL_IMAGE } from './probe.ts'
import { SMOKE_KEY, SMOKE_TAG } from './smokeCluster.ts'
import { type SmokeRun, waitFor } from './smokeRun.ts'

/** The app of the environment by its name, or why no machine can be made through it. */
export type SmokeApp = { readonly name: string } | { readonly why: string }

type AppPlace = { readonly environment: Environment; readonly clusterIds: readonly string[]; readonly resourceId: string }

/** Asks the app of the environment whether it works. `clusterIds` holds the clusters that the environment manages. */
export async function appOf({ environment, clusterIds, resourceId }: AppPlace, access: Pick<Access, 'web'>): Promise<SmokeApp> {
  const { JOINER_APP_NAME: name, JOINER_APP_ENDPOINT: endpoint } = environment
  if (!name || !endpoint) return { why: 'no app is deployed in this environment' }
  const managed = new Set([...clusterIds, environment['JOINER_DEMO_CLUSTER_ID'] ?? ''].map((id) => id.toLowerCase()))
  if (!managed.has(resourceId.toLowerCase())) return { why: `app ${name} does not manage this cluster` }
  const answer = await askApp(access, endpoint)
  if (answer.state === 'works') return { name }
  if (answer.state === 'unread') return { why: `app ${name} is not reached from here: ${answer.why}` }
  const { message, remedy } = appFinding({ ...answer, name })
  return { why: `app ${name} does no work: ${message}; ${remedy}` }
}

export const CLASSES = '/apis/karpenter.azure.com/v1beta1/aksnodeclasses'
export const POOLS = '/apis/karpenter.sh/v1/nodepools'
export const CLAIMS = '/apis/karpenter.sh/v1/nodeclaims'
export const SETS = `/apis/apps/v1/namespaces/${NAMESPACE}/replicasets`

/** The NodePool of a run, and the other objects of its trial. */
export const trialName = (run: string): string => `smoke-${run}`

/** Makes the objects. The app makes a machine when the pod is there. */
export async function startTrial({ cluster, journal }: SmokeRun, signal: AbortSignal): Promise<void> {
  const { run } = journal.record()
  for (const [path, body] of trialObjects(run)) {
    const answer = await cluster.call({ method: 'POST', path, body }, signal)
    if (!isSuccess(answer) && answer.status !== 409) throw refused('create', `${path}/${trialName(run)}`, answer)
  }
}

const condition = z.object({ type: z.string(), status: z.string(), message: z.string().optional() })
const statusOf = z.object({
  metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }),
  status: z.object({ nodeName: z.string().optional(), conditions: z.array(condition).default([]) }).default({ conditions: [] }),
})

/** A NodeClaim of the trial, as far as smoke looks at it. */
type TrialClaim = {
  readonly name: string
  readonly nodeName: string | undefined
  readonly isDeleted: boolean
  /** What its conditions say that are not true. */
  readonly says: string
}

export async function trialClaims({ cluster, journal }: SmokeRun, signal: AbortSignal): Promise<readonly TrialClaim[]> {
  const labelSelector = `${LABEL.nodePool}=${trialName(journal.record().run)}`
  return (await listObjects(cluster.call, CLAIMS, { labelSelector }, signal)).flatMap((object) => {
    const read = statusOf.safeParse(object)
    if (!read.success) return []
    const { metadata, status } = read.data
    return [
      {
        name: metadata.name,
        nodeName: status.nodeName,
        isDeleted: metadata.deletionTimestamp !== undefined,
        says: unmet(status.conditions),
      },
    ]
  })
}

const unmet = (conditions: readonly z.output<typeof condition>[]): string =>
  conditions.flatMap(({ type, status, message }) => (status === 'True' || !message ? [] : [`${type}: ${message}`])).join('; ') ||
  'no condition says why'

/** Waits for a NodeClaim that is none of `before`. The error says what the NodePool tells. */
export async function newClaim(
  run: SmokeRun,
  before: readonly string[],
  limitMs: number,
  signal: AbortSignal,
): Promise<Result<TrialClaim, string>> {
  const look = async () => (await trialClaims(run, signal)).find(({ name, isDeleted }) => !isDeleted && !before.includes(name))
  const claim = await waitFor(run, limitMs, look, signal)
  if (claim !== undefined) return ok(claim)
  const name = trialName(run.journal.record().run)
  const pool = statusOf.safeParse((await run.cluster.call({ method: 'GET', path: `${POOLS}/${name}` }, signal)).json)
  return err(
    `no NodeClaim of NodePool ${name} within ${limitMs / 60_000} minutes: ${pool.success ? unmet(pool.data.status.conditions) : 'it is gone'}`,
  )
}

/** Waits until the node of a NodeClaim can run pods. Returns its name. */
export async function readyNode(
  run: SmokeRun,
  { name }: TrialClaim,
  limitMs: number,
  signal: AbortSignal,
): Promise<Result<string, string>> {
  let last = 'it is gone'
  const look = async (): Promise<string | undefined> => {
    const claim = (await trialClaims(run, signal)).find((each) => each.name === name)
    last = claim?.says ?? 'it is gone'
    if (claim?.nodeName === undefined) return undefined
    const node = await run.cluster.api.getNode(nodeName(claim.nodeName), signal)
    return node !== undefined && node.meta.labels[LABEL.initialized] === 'true' && canRunPods(node) ? claim.nodeName : undefined
  }
  const ready = await waitFor(run, limitMs, look, signal)
  return ready === undefined ? err(`NodeClaim ${name} has no ready node after ${limitMs / 60_000} minutes: ${last}`) : ok(ready)
}

/** A pod without rights that sleeps, in a ReplicaSet that makes it again. The disruption of the pool is off: only Azure takes its machine. */
function trialObjects(run: string): readonly (readonly [path: string, body: object])[] {
  const metadata = { name: trialName(run), labels: { [SMOKE_KEY]: run } }
  const pod = { [POD_KEY]: run }
  const requirement = (key: string, value: string): object => ({ key, operator: 'In', values: [value] })
  const nodeClass = { spec: { tags: { [SMOKE_TAG]: run } }, apiVersion: 'karpenter.azure.com/v1beta1', kind: NODE_CLASS_KIND, metadata }
  const template = {
    metadata: { labels: { [SMOKE_KEY]: run } },
    spec: {
      nodeClassRef: { group: API_GROUP.azure, kind: NODE_CLASS_KIND, name: metadata.name },
      requirements: [requirement(LABEL.capacityType, 'spot'), requirement(LABEL.arch, 'amd64'), requirement(LABEL.os, 'linux')],
      taints: [{ key: SMOKE_KEY, effect: 'NoSchedule' }],
      expireAfter: 'Never',
      terminationGracePeriod: '1m',
    },
  }
  const disruption = { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never', budgets: [{ nodes: '0' }] }
  const pool = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata, spec: { template, disruption } }
  const container = {
    name: 'smoke',
    image: SHELL_IMAGE,
    command: ['sh', '-c', 'while :; do sleep 60; done'],
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '64Mi' } },
  }
  const spec = {
    // The machine of an earlier step has the label and the taint of the run, too.
    nodeSelector: { [LABEL.nodePool]: metadata.name },
    tolerations: [{ key: SMOKE_KEY, operator: 'Exists', effect: 'NoSchedule' }],
    terminationGracePeriodSeconds: 1,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    containers: [container],
  }
  const set = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata,
    spec: { replicas: 1, selector: { matchLabels: pod }, template: { metadata: { labels: pod }, spec } },
  }
  return [
    [CLASSES, nodeClass],
    [POOLS, pool],
    [SETS, set],
  ]
}

/** The label of the pods, which go with their ReplicaSet. */
const POD_KEY = 'joiner.dev/smoke-pod'
