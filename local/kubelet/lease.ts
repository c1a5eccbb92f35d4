import type { KubeApi } from '../cluster/client/api.ts'
import type { Refusal } from '../cluster/client/kubeClient.ts'
import { LEASES, NODES } from '../cluster/client/resource.ts'

const LEASE_NAMESPACE = 'kube-node-lease'
const LEASE_SECONDS = 40

/** Renews the lease of the node. Returns why that failed, or undefined. */
export async function renewLease(api: KubeApi, node: string, now: number): Promise<Refusal | undefined> {
  const spec = { holderIdentity: node, leaseDurationSeconds: LEASE_SECONDS, renewTime: new Date(now).toISOString().replace('Z', '000Z') }
  const renewed = await api.patch(LEASES, { namespace: LEASE_NAMESPACE, name: node }, { spec }, 'merge')
  if (renewed.ok) return undefined
  if (renewed.error.code !== 404) return renewed.error
  const owner = await api.get(NODES, { name: node })
  if (!owner.ok) return owner.error
  // The lease is deleted with its node.
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: node, uid: owner.value.metadata.uid }]
  const metadata = { name: node, namespace: LEASE_NAMESPACE, ownerReferences }
  const created = await api.create(LEASES, { metadata, spec }, LEASE_NAMESPACE)
  return created.ok || created.error.code === 409 ? undefined : created.error
}
