import { parseBody } from '../http/body.ts'
import { forbidden } from '../http/statusError.ts'
import { textAt } from '../object/json.ts'
import type { Target } from '../verbs/api.ts'
import { isOwnNode } from './bootstrapRule.ts'
import { BOOTSTRAPPERS } from './bootstrapTokens.ts'
import type { User } from './user.ts'

const OWN = new Set(['nodes', 'leases.coordination.k8s.io', 'csinodes.storage.k8s.io'])

/** Lets a machine create only objects with the name of its own node. The name is in the body, so the path alone is not enough. */
export function restrictCreate(user: User, target: Target, body: Buffer, type: string): void {
  if (!user.groups.includes(BOOTSTRAPPERS) || !OWN.has(target.resource.storedAs)) return
  const name = textAt(parseBody(body, type), 'metadata', 'name')
  if (isOwnNode(user, name)) return
  throw forbidden(
    target.resource,
    name,
    `user ${JSON.stringify(user.name)} may only create the ${target.resource.singular} of the node its token was made for`,
  )
}
