import type { DisruptionCommand } from '../../shared/model/disruptionCommand.ts'
import { nodeClaimName, nodePoolName } from '../../shared/model/ids.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { durationMs, later } from '../../shared/model/units.ts'
import { ago, MINUTE } from './clock.ts'
import { nodeNameOf } from './nodeClaim.ts'

/** A move that began a minute ago and whose nodes are tainted: the claims are deleted once `default-new` is initialized. */
export function disruptionCommand(claims: readonly NodeClaim[], over: Partial<DisruptionCommand> = {}): DisruptionCommand {
  const startedAt = ago(MINUTE)
  return {
    id: '7-0',
    reason: 'Drifted',
    method: 'replace',
    candidates: claims.map(({ name, meta }) => ({
      claim: name,
      uid: meta.uid,
      node: nodeNameOf(name),
      pool: nodePoolName('default'),
      pods: [],
    })),
    replacements: [nodeClaimName('default-new')],
    startedAt,
    deadline: later(startedAt, durationMs(10 * MINUTE)),
    markedAt: startedAt,
    ...over,
  }
}
