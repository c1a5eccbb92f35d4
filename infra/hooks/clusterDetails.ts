import { generateKeyPairSync } from 'node:crypto'
import { isFine, member, refusalOf } from '../../cli/armCall.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import { MANAGED_CLUSTER_VERSION } from '../../shared/wire/azure/managedCluster.ts'
import { type HookDeps, HookFailure } from './hookDeps.ts'

/**
 * Returns the id of the private DNS zone that holds the name of a private API server. Undefined if the name is public, or only the customer's own DNS
 * servers resolve it.
 */
export async function privateZoneOf({ access }: Pick<HookDeps, 'access'>, facts: ClusterFacts): Promise<string | undefined> {
  const { apiServer, resourceId, nodeResourceGroup } = facts
  if (!apiServer.isPrivate) return undefined
  const answer = await access.arm({ method: 'GET', path: resourceId, version: MANAGED_CLUSTER_VERSION })
  if (!isFine(answer)) throw new HookFailure(`AZURE.FAILED   cluster ${resourceId} cannot be read: ${refusalOf(answer)}`)
  const zone = member(member(member(answer.body, 'properties'), 'apiServerAccessProfile'), 'privateDNSZone') ?? 'system'
  if (zone !== 'system') return typeof zone === 'string' && zone.startsWith('/') ? zone : undefined
  // AKS creates the zone in the node resource group. The name of the zone is the API server's name behind the first dot.
  const [, , subscription = ''] = resourceId.split('/')
  const name = new URL(apiServer.url).hostname.split('.').slice(1).join('.')
  return `/subscriptions/${subscription}/resourceGroups/${nodeResourceGroup}/providers/Microsoft.Network/privateDnsZones/${name}`
}

/**
 * Returns a public key whose private key does not exist. Azure creates no Linux machine without a key or a password, and a cluster may have no key to
 * reuse.
 */
export function keyOfNobody(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const parts = [Buffer.from('ssh-ed25519'), Buffer.from(x, 'base64url')]
  const blob = Buffer.concat(parts.flatMap((part) => [lengthOf(part), part]))
  return `ssh-ed25519 ${blob.toString('base64')} joiner`
}

function lengthOf(part: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(part.length)
  return length
}
