import { generateKeyPairSync } from 'node:crypto'
import { isFine, member, refusalOf } from '../../cli/armCall.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import { MANAGED_CLUSTER_VERSION } from '../../shared/wire/azure/managedCluster.ts'
import { type HookDeps, HookFailure } from './hookDeps.ts'

/** Id of the zone in which the name of a private API server is; undefined where everybody can look it up, or nobody but the customer's own servers. */
export async function privateZoneOf({ access }: Pick<HookDeps, 'access'>, facts: ClusterFacts): Promise<string | undefined> {
  const { apiServer, resourceId, nodeResourceGroup } = facts
  if (!apiServer.isPrivate) return undefined
  const answer = await access.arm({ method: 'GET', path: resourceId, version: MANAGED_CLUSTER_VERSION })
  if (!isFine(answer)) throw new HookFailure(`AZURE.FAILED   cluster ${resourceId} cannot be read: ${refusalOf(answer)}`)
  const zone = member(member(member(answer.body, 'properties'), 'apiServerAccessProfile'), 'privateDNSZone') ?? 'system'
  if (zone !== 'system') return typeof zone === 'string' && zone.startsWith('/') ? zone : undefined
  // AKS makes the zone in its own group, and names it as the API server is named behind the first dot.
  const [, , subscription = ''] = resourceId.split('/')
  const name = new URL(apiServer.url).hostname.split('.').slice(1).join('.')
  return `/subscriptions/${subscription}/resourceGroups/${nodeResourceGroup}/providers/Microsoft.Network/privateDnsZones/${name}`
}

/** A public key that nobody has the other half of. Azure makes no Linux machine without a key or a password, and a cluster may have none to take over. */
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
