import { type ClaimObject, decidedAt, isTrue } from './claimObject.ts'
import type { DemoOptions } from './demoOptions.ts'
import { formatSeconds } from './formatSeconds.ts'

type ClaimPrinter = { readonly seen: (now: ClaimObject | undefined, before: ClaimObject | undefined) => void; readonly tick: () => void }

/** A claim that takes longer than this is reported repeatedly until it is done. */
const LONG_MS = 5_000
const PROGRESS_EVERY_MS = 5_000

/** Prints the stages that claims reach, their end, and the progress of claims that take long. */
export function printClaims({ print, now }: DemoOptions): ClaimPrinter {
  const claims = new Map<string, ClaimObject>()
  let progressAt = now()

  function present(claim: ClaimObject, before: ClaimObject | undefined): void {
    const { name, deletionTimestamp } = claim.metadata
    claims.set(name, claim)
    for (const type of ['Registered', 'Initialized'] as const) {
      const reached = isTrue(claim, type) && !(before && isTrue(before, type))
      if (reached) print(`nodeclaim ${name} ${type.toLowerCase()}, ${formatSeconds(now() - decidedAt(claim))} after the decision`)
    }
    const isEnded = deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined
    if (isEnded) print(`nodeclaim ${name} is being ended: its node is drained, then its machine goes`)
  }

  return {
    seen(claim, before) {
      if (claim) present(claim, before)
      else if (before) {
        claims.delete(before.metadata.name)
        print(`nodeclaim ${before.metadata.name} is gone, its machine and network interface with it`)
      }
    },
    tick() {
      if (now() - progressAt < PROGRESS_EVERY_MS) return
      progressAt = now()
      for (const claim of claims.values()) {
        const age = now() - decidedAt(claim)
        if (age < LONG_MS || isTrue(claim, 'Initialized') || claim.metadata.deletionTimestamp !== undefined) continue
        print(`nodeclaim ${claim.metadata.name}: ${stageOf(claim)}, ${formatSeconds(age)} after the decision`)
      }
    },
  }
}

function stageOf(claim: ClaimObject): string {
  if (!isTrue(claim, 'Launched')) return 'waiting for Azure to take the machine'
  if (!isTrue(claim, 'Registered')) return 'machine is booting'
  const open = claim.status?.conditions?.find(({ type }) => type === 'Initialized')
  // Until the app has looked at the node, the condition holds what was true before the node joined.
  const isLookedAt = open?.message !== undefined && open.reason !== 'NodeNotFound'
  return `joined, not initialized yet: ${isLookedAt ? open.message : 'the function app has not looked at its node yet'}`
}
