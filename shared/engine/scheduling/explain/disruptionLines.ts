/** What disruption does with a node, as lines of text. */
import type { DisruptionVerdict } from '../../../model/disruptionVerdict.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import { type EpochMs, formatPrice, type MicroUsdPerHour } from '../../../model/units.ts'

export function disruptionLines(verdict: DisruptionVerdict, now: EpochMs): readonly string[] {
  switch (verdict.kind) {
    case 'stays':
      return [`  not disrupted (${verdict.code}): ${verdict.message}`]
    case 'next': {
      const { reason, nodes, pods, replacements, saving } = verdict
      const together = nodes === 1 ? 'it' : `it and ${counted(nodes - 1, 'more node')}`
      return [`  the next decision disrupts ${together} (${reason}): ${sumText({ pods, replacements, saving })}`]
    }
    case 'moving': {
      const { id, reason, method, candidates, replacements, saving, startedAt, ready = [] } = verdict.command
      const pods = candidates.reduce((sum, each) => sum + each.pods.length, 0)
      const seconds = Math.max(0, Math.round((now - startedAt) / 1000))
      const waiting = method === 'replace' ? `; ${ready.length} of ${replacements.length} replacements are ready` : ''
      return [`  move ${id} (${reason}) has been disrupting it for ${seconds} s: ${sumText({ pods, replacements, saving })}${waiting}`]
    }
  }
}

type Sum = { readonly pods: number; readonly replacements: readonly NodeClaimName[]; readonly saving: MicroUsdPerHour | undefined }

function sumText({ pods, replacements, saving }: Sum): string {
  const comes = replacements.length === 0 ? 'no replacement' : `replaced by ${replacements.join(', ')}`
  return `${counted(pods, 'pod')} to move, ${comes}, ${saving === undefined ? 'saving unknown' : `saves ${formatPrice(saving)}`}`
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
