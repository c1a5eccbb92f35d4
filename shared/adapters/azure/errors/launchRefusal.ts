import { defined } from '../../../base/values.ts'
import type { LaunchRefusal } from '../../../model/instance.ts'
import { zoneText } from '../../../model/inWords.ts'
import { problem } from '../../../model/problem.ts'
import type { UnavailableOffering } from '../../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, later } from '../../../model/units.ts'
import type { ArmFailure } from '../armFailure.ts'
import { type LaunchAttempt, scopesOf } from './blockedScopes.ts'
import { type BlockingRow, REFUSAL_TABLE } from './refusalTable.ts'

const TOLD = 300

/** What a failed launch means for its offerings. Undefined if Azure itself failed, which says nothing about an offering. */
export function launchRefusal(failure: ArmFailure, attempt: LaunchAttempt, now: EpochMs, object: string): LaunchRefusal | undefined {
  const row = REFUSAL_TABLE.find((candidate) => candidate.matches(failure))
  if (row === undefined) return undefined
  const retryAfterMs = failure.retryAfterMs ?? ('then' in row ? row.retryAfterMs : undefined)
  return {
    problem: problem(
      row.code,
      failure.isLocal === true
        ? `${object} (${row.name}): ${failure.message}`
        : `${object}: azure refused ${attempt.capacityType} ${attempt.size} in ${zoneText(attempt.zone)} (${row.name}): ${failure.message}`,
      {
        object,
        fields: { azureCode: failure.code, size: attempt.size, zone: attempt.zone, capacityType: attempt.capacityType },
        ...defined({ retryAfterMs, isLocal: failure.isLocal }),
      },
    ),
    ...('then' in row ? { unavailable: [], then: row.then } : { ...ruledOut(row, failure, attempt, now), then: 'next' }),
  }
}

function ruledOut(
  { code, blocks, ttlMs, concerns }: BlockingRow,
  failure: ArmFailure,
  attempt: LaunchAttempt,
  now: EpochMs,
): Pick<LaunchRefusal, 'unavailable' | 'own'> {
  const until = later(now, durationMs(ttlMs))
  const message = failure.message.slice(0, TOLD)
  const offerings = scopesOf(blocks, attempt).map((scope): UnavailableOffering => ({ scope, until, code, message }))
  return concerns === 'the NodeClass' ? { unavailable: [], own: offerings } : { unavailable: offerings }
}
