import type { AppLine } from './appLine.ts'
import type { Stage, StageTimes } from './stageTimes.ts'

/** Notes the stages of a claim that only the lines of the function app show. */
export function noteStages(line: AppLine, times: StageTimes): void {
  const claim = line.fields['claim']
  if (typeof claim !== 'string') return
  const stage = stageOf(line)
  if (stage) times.reached(claim, stage, line.at)
}

function stageOf(line: AppLine): Stage | undefined {
  if (line.level === 'info' && line.fields['decision'] !== undefined && line.fields['pods'] !== undefined) return 'decided'
  if (line.message === 'claim_created_ms') return 'claim made'
  return line.message === 'launched_ms' ? 'launched' : undefined
}
