import { BlobServiceClient } from '@azure/storage-blob'
import type { Arena } from './arena.ts'
import type { Line } from './line.ts'
import type { Fault } from './plan.ts'

const API_SERVER_IS_AWAY_MS = 2_000
/** Well before the killed process is back. */
const LEASES_END_AFTER_MS = 200

/** Does one fault, and resolves when it is over. */
export async function inflict(arena: Arena, fault: Fault): Promise<void> {
  const { lines, plane, processes } = arena
  switch (fault.kind) {
    case 'kill':
      processes[fault.who].kill()
      // What it held would end by itself, some 15 seconds later.
      await pause(LEASES_END_AFTER_MS)
      return endLeases(arena, fault.who.endsWith('host') ? ['joiner', 'azure-webjobs-hosts'] : [])
    case 'cut':
      return lines[fault.line].cut()
    case 'down':
      return away(
        fault.lines.map((name) => lines[name]),
        fault.ms,
      )
    case 'loseRequest':
    case 'loseAnswer':
    case 'refuse':
    case 'throttle':
      return lines[fault.line].strike({ kind: fault.kind, times: fault.times })
    case 'late':
      return lines[fault.line].strike({ kind: 'late', times: fault.times, ms: fault.ms })
    case 'restartApiServer':
      return plane === undefined ? away([lines.kube, lines.watch], API_SERVER_IS_AWAY_MS) : plane.restartApiServer()
    case 'breakLease':
      return endLeases(arena, ['joiner'])
    case 'takeLead':
      return takeLead(arena)
  }
}

async function away(lines: readonly Line[], ms: number): Promise<void> {
  for (const line of lines) line.down()
  await pause(ms)
  for (const line of lines) line.up()
}

/** A lease may end at any time under its holder, as far as the holder knows. */
async function endLeases({ storageConnection }: Arena, containers: readonly string[]): Promise<void> {
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

/** Nobody has the lead for a moment; whoever asks first gets it. */
async function takeLead({ stack }: Arena): Promise<void> {
  const body = { spec: { holderIdentity: '' } }
  const { LEASE_NAMESPACE: namespace, LEASE_NAME: name = 'joiner-shim' } = stack.wires.shimEnv
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
