import { BlobServiceClient } from '@azure/storage-blob'
import type { Environment } from './environment.ts'
import type { FaultProxy } from './faultProxy.ts'
import type { Fault } from './plan.ts'

const API_SERVER_IS_AWAY_MS = 2_000
/** Ends leases well before the killed process is back. */
const LEASES_END_AFTER_MS = 200

/** Causes one fault. Resolves when the fault is over. */
export async function inflict(environment: Environment, fault: Fault): Promise<void> {
  const { proxies, plane, processes } = environment
  switch (fault.kind) {
    case 'kill':
      processes[fault.who].kill()
      // The leases of the killed process would expire by themselves after some 15 seconds.
      await pause(LEASES_END_AFTER_MS)
      return endLeases(environment, fault.who.endsWith('host') ? ['joiner', 'azure-webjobs-hosts'] : [])
    case 'cut':
      return proxies[fault.proxy].cut()
    case 'down':
      return away(
        fault.proxies.map((name) => proxies[name]),
        fault.ms,
      )
    case 'loseRequest':
    case 'loseAnswer':
    case 'refuse':
    case 'throttle':
      return proxies[fault.proxy].strike({ kind: fault.kind, times: fault.times })
    case 'late':
      return proxies[fault.proxy].strike({ kind: 'late', times: fault.times, ms: fault.ms })
    case 'restartApiServer':
      return plane === undefined ? away([proxies.kube, proxies.watch], API_SERVER_IS_AWAY_MS) : plane.restartApiServer()
    case 'breakLease':
      return endLeases(environment, ['joiner'])
    case 'takeLead':
      return takeLead(environment)
  }
}

async function away(proxies: readonly FaultProxy[], ms: number): Promise<void> {
  for (const proxy of proxies) proxy.down()
  await pause(ms)
  for (const proxy of proxies) proxy.up()
}

/** Ends the leases at once. For its holder, a lease may end at any time. */
async function endLeases({ storageConnection }: Environment, containers: readonly string[]): Promise<void> {
  const storage = BlobServiceClient.fromConnectionString(storageConnection)
  for (const name of containers) {
    const container = storage.getContainerClient(name)
    for await (const blob of container.listBlobsFlat()) {
      if (blob.properties.leaseState !== 'leased') continue
      await container
        .getBlobClient(blob.name)
        .getBlobLeaseClient()
        .breakLease(0)
        .catch(() => undefined)
    }
  }
}

/** Clears the holder of the shims' Lease. The first shim that asks becomes the leader. */
async function takeLead({ stack }: Environment): Promise<void> {
  const body = { spec: { holderIdentity: '' } }
  const { LEASE_NAMESPACE: namespace, LEASE_NAME: name = 'joiner-shim' } = stack.endpoints.shimEnv
  await stack.client.send({
    method: 'PATCH',
    path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`,
    body,
    contentType: 'application/merge-patch+json',
    signal: AbortSignal.timeout(5_000),
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
