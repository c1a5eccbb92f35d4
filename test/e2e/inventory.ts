import type { Pod, Stored } from '../../local/cluster/client/objects.ts'
import { LEASES, NODES, PODS, type Resource } from '../../local/cluster/client/resource.ts'
import { isTrue, NODE_CLAIMS } from '../../local/demo/claimObject.ts'
import type { Stack } from '../../local/stack/startStack.ts'
import { PATIENCE_MS } from './until.ts'

/** The present objects, read live from the API server and from Azure. */
export type Inventory = {
  /** All pods but those that succeeded and those with scheduling gates. */
  readonly pods: readonly { readonly name: string; readonly node: string | undefined; readonly isRunning: boolean }[]
  readonly claims: readonly { readonly name: string; readonly isReady: boolean }[]
  readonly nodes: readonly string[]
  readonly vms: readonly string[]
  readonly nics: readonly string[]
  readonly disks: readonly string[]
  readonly tokens: readonly string[]
  /** Leases of nodes, which the kubelets renew. */
  readonly leases: readonly string[]
}

export async function takeInventory(stack: Stack): Promise<Inventory> {
  const [pods, nodes, claims, secrets, leases] = await Promise.all([
    list(stack, PODS),
    list(stack, NODES),
    list(stack, NODE_CLAIMS),
    listTokens(stack),
    list(stack, LEASES),
  ])
  const { vms, nics, disks } = stack.azure.state()
  return {
    pods: pods.filter(isUnfinished).map((pod) => ({
      name: pod.metadata.name,
      node: pod.spec.nodeName,
      isRunning: pod.status?.phase === 'Running' && pod.metadata.deletionTimestamp === undefined,
    })),
    claims: claims.map((claim) => ({
      name: claim.metadata.name,
      isReady: isTrue(claim, 'Initialized') && claim.metadata.deletionTimestamp === undefined,
    })),
    nodes: names(nodes),
    vms: vms.map((vm) => vm.name).sort(),
    nics: nics.map((nic) => nic.name).sort(),
    disks: disks.map((disk) => disk.name).sort(),
    tokens: names(secrets),
    leases: names(leases.filter(({ metadata }) => metadata.namespace === 'kube-node-lease')),
  }
}

function isUnfinished(pod: Pod): boolean {
  return pod.status?.phase !== 'Succeeded' && (pod.spec.schedulingGates ?? []).length === 0
}

/** What is wrong with the inventory. Undefined if all pods run, each node, machine, interface and disk has a claim, and nothing else is there. */
export function inventoryProblem(inventory: Inventory, pods: number): string | undefined {
  const running = inventory.pods.filter((pod) => pod.isRunning)
  if (running.length !== pods || inventory.pods.length !== pods)
    return `${running.length} of ${inventory.pods.length} pods run, ${pods} are wanted`
  const machines = inventory.claims.map((claim) => `joiner-${claim.name}`).sort()
  const waiting = inventory.claims.filter((claim) => !claim.isReady).map((claim) => claim.name)
  if (waiting.length > 0) return `claims ${waiting} are not ready`
  const used = [...new Set(running.map((pod) => pod.node))].sort()
  for (const [what, found] of Object.entries({
    'used nodes': used,
    nodes: inventory.nodes,
    'leases of nodes': inventory.leases,
    machines: inventory.vms,
    interfaces: inventory.nics,
    disks: inventory.disks,
  })) {
    if (`${found}` !== `${machines}`) return `${what} are [${found}], of claims are [${machines}]`
  }
  return inventory.tokens.length === 0 ? undefined : `bootstrap tokens are left: ${inventory.tokens}`
}

type Listed = { readonly items: readonly { readonly metadata: { readonly name: string } }[] }

async function list<Item extends Stored>(stack: Stack, { apiVersion, plural }: Resource<Item>): Promise<readonly Item[]> {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const got = await stack.client.send<{ readonly items: readonly Item[] }>({
    method: 'GET',
    path: `${root}/${plural}`,
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  if (!got.ok) throw new Error(`cannot list ${plural}: ${got.error.message}`)
  return got.value.items
}

async function listTokens(stack: Stack): Promise<Listed['items']> {
  const path = '/api/v1/namespaces/kube-system/secrets'
  const got = await stack.client.send<Listed>({ method: 'GET', path, signal: AbortSignal.timeout(PATIENCE_MS) })
  if (!got.ok) throw new Error(`cannot list secrets: ${got.error.message}`)
  return got.value.items.filter((secret) => secret.metadata.name.startsWith('bootstrap-token-'))
}

function names(items: Listed['items']): readonly string[] {
  return items.map((item) => item.metadata.name).sort()
}
