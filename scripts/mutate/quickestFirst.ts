import { statSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Runs quick test files first. A mutant's run ends with the first failing test, and most mutants fail a quick one. */
export class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const cost = new Map(files.map((file) => [file, costOf(this.ctx.cache.getTestSpecificationResult(file)?.duration, file)]))
    return [...files].sort((one, other) => (cost.get(one) ?? 0) - (cost.get(other) ?? 0))
  }
}

/** Returns the duration of the last run in milliseconds. A file that never ran is rated by its size. */
function costOf(duration: number | undefined, { moduleId }: TestSpecification): number {
  return duration ?? statSync(moduleId).size / 10
}
