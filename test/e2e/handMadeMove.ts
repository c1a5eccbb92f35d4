import { LOCAL_CLUSTER } from '../../local/stack/identities.ts'
import { createLedgerStore } from '../../shared/adapters/storage/ledgerStore.ts'
import { createStorageClients } from '../../shared/adapters/storage/storageClients.ts'
import {
  clusterId,
  type NodeClaimName,
  nodeClaimName,
  nodeName,
  nodePoolName,
  objectKey,
  uid,
  vmSizeName,
  zoneName,
} from '../../shared/model/ids.ts'
import { ANNOTATION, LABEL } from '../../shared/model/labels.ts'
import type { Intent } from '../../shared/model/ledger.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { PodRef } from '../../shared/model/pod.ts'
import type { RequirementSpec } from '../../shared/model/requirements.ts'
import { durationMs, epochMs, later } from '../../shared/model/units.ts'
import { nodeClaimFromKube } from '../../shared/wire/kube/nodeClaim.ts'
import type { Environment } from './environment.ts'
import { until } from './until.ts'
import { claims, type Listed } from './waits.ts'

const NEVER = new AbortController().signal

/** Writes a decision into the ledger as a planner would: every claim is ended once a replacement with its requirements is initialized. */
export async function handMadeMove(environment: Environment, more: readonly RequirementSpec[] = []): Promise<readonly NodeClaimName[]> {
  const account = { kind: 'connectionString', connectionString: environment.stack.endpoints.storageConnection } as const
  const store = createLedgerStore(createStorageClients(account).container, clusterId(LOCAL_CLUSTER))
  const old = (await claims(environment)).map(claimOf)
  const pods = await podsByNode(environment)
  await until(async () => {
    const loaded = await store.load(NEVER)
    if (!loaded.ok || loaded.value === undefined) return 'there is no ledger'
    const { value: ledger, etag } = loaded.value
    const decision = ledger.decisions + 1
    const now = epochMs(Date.now())
    const candidates = old.map(({ name, meta, status }) => ({
      claim: name,
      uid: meta.uid,
      node: status.nodeName ?? nodeName(''),
      pool: nodePoolName('default'),
      pods: pods.get(status.nodeName ?? '') ?? [],
    }))
    const id = `${decision}-0`
    const intents = old.map((claim, index) => intentFor(claim, { id, decision, now, pods: candidates[index]?.pods ?? [], more }))
    const replacements = intents.map(({ action }) => action.draft.name)
    const command = {
      id,
      reason: 'Drifted',
      method: 'replace',
      candidates,
      replacements,
      startedAt: now,
      deadline: later(now, durationMs(600_000)),
    } as const
    const { rest: _, ...lasting } = ledger
    const next = {
      ...lasting,
      epoch: ledger.epoch + 1,
      decisions: decision,
      intents: [...ledger.intents, ...intents],
      commands: [...ledger.commands, command],
    }
    return (await store.save(next, etag, NEVER)).ok ? undefined : 'somebody else writes the ledger'
  })
  return old.map(replacementOf)
}

function claimOf(json: unknown): NodeClaim {
  const claim = nodeClaimFromKube(json)
  if (!claim.ok) throw new Error(claim.error.message)
  return claim.value
}

function replacementOf({ name }: NodeClaim): NodeClaimName {
  return nodeClaimName(`${name}-new`)
}

type Move = {
  readonly id: string
  readonly decision: number
  readonly now: ReturnType<typeof epochMs>
  readonly pods: readonly PodRef[]
  readonly more: readonly RequirementSpec[]
}

function intentFor(claim: NodeClaim, { id, decision, now, pods, more }: Move): Intent {
  const kept = (values: { readonly [key: string]: string }, keys: readonly string[]) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)))
  const { labels, annotations } = claim.meta
  const hashes = [ANNOTATION.nodePoolHash, ANNOTATION.nodePoolHashVersion, ANNOTATION.nodeClassHash, ANNOTATION.nodeClassHashVersion]
  const draft = {
    name: replacementOf(claim),
    nodePool: nodePoolName(labels[LABEL.nodePool] ?? ''),
    labels: kept(labels, [LABEL.nodePool, LABEL.nodeClass]),
    annotations: { ...kept(annotations, hashes), [ANNOTATION.decision]: String(decision) },
    spec: { ...claim.spec, requirements: [...claim.spec.requirements, ...more] },
  }
  const choice = { size: vmSizeName('Standard_D2as_v5'), zone: zoneName('0'), capacityType: 'on-demand' } as const
  return { action: { kind: 'createClaim', draft, pods, choice, alternatives: 1, command: id }, decision, decidedAt: now }
}

type KubePod = {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string }
  readonly spec: { readonly nodeName?: string }
}

async function podsByNode(environment: Environment): Promise<ReadonlyMap<string, readonly PodRef[]>> {
  const pods = (await environment.get<Listed<KubePod>>('/api/v1/pods'))?.items ?? []
  const groups = Map.groupBy(pods, ({ spec }) => spec.nodeName ?? '')
  const refOf = ({ metadata }: KubePod): PodRef => ({ key: objectKey(metadata.namespace, metadata.name), uid: uid(metadata.uid) })
  return new Map([...groups].map(([node, own]) => [node, own.map(refOf)] as const))
}
