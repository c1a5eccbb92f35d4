import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { repositoryRoot } from './floors.ts'

/**
 * Test files that take long, longest first: those of `npm test`, then those of whole systems. A long file that starts last runs alone while the other
 * workers have nothing to do. An outdated list costs time and nothing else.
 */
export const LONGEST = [
  'test/story/npmStart.test.ts',
  'test/properties/waves.test.ts',
  'test/properties/plans.test.ts',
  'test/properties/keptMoves.test.ts',
  'test/properties/differential.test.ts',
  'test/properties/corpus.test.ts',
  'test/properties/deletionCost.test.ts',
  'test/properties/adversarial.test.ts',
  'test/properties/existingRoom.test.ts',
  'test/properties/moves.test.ts',
  'test/properties/undoneTries.test.ts',
  'test/e2e/posts.test.ts',
  'test/e2e/crash.test.ts',
  'test/e2e/start.test.ts',
  'test/e2e/teardown.test.ts',
  'test/crash/outside/faults.test.ts',
  'test/agreement/rounds.test.ts',
  'test/e2e/joining.test.ts',
  'test/e2e/workloads.test.ts',
  'test/e2e/consolidation.test.ts',
  'test/e2e/restarts.test.ts',
  'test/e2e/machines.test.ts',
  'test/crash/everyWriteOfEnds.test.ts',
  'test/crash/everyWriteOfDrift.test.ts',
  'test/e2e/repair.test.ts',
  'test/crash/everyWriteOfStaticPools.test.ts',
  'test/e2e/drain.test.ts',
  'test/crash/everyWriteOfMoves.test.ts',
  'test/chaos/embedded3.test.ts',
  'test/e2e/kubeletIdentity.test.ts',
  'test/watch/shimOnARealWatch.test.ts',
  'test/crash/everyWriteOfPods.test.ts',
  'test/e2e/shimAuth.test.ts',
  'test/e2e/readme.test.ts',
  'test/crash/budgets.test.ts',
  'test/e2e/cloud.test.ts',
  'test/e2e/others.test.ts',
  'test/e2e/moves.test.ts',
  'test/chaos/real.test.ts',
  'test/schema/apiServer.test.ts',
  'test/charts/install.test.ts',
  'test/e2e/pools.test.ts',
  'test/e2e/endings.test.ts',
  'test/e2e/staticPools.test.ts',
  'test/e2e/badInput.test.ts',
  'test/e2e/chartFirst.test.ts',
  'local/controlplane/startControlPlane.test.ts',
  'test/charts/render.test.ts',
  'test/agreement/agreement.test.ts',
  'test/chaos/embedded1.test.ts',
] as const

/** Runs groups of projects one after another. In a group, the longest files of all projects run first, then the others in the usual order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const asEver = await super.sort(files)
    return asEver.sort((one, other) => groupOf(one) - groupOf(other) || placeOf(one) - placeOf(other))
  }
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((file) => moduleId === `${repositoryRoot}/${file}`)
  return place === -1 ? LONGEST.length : place
}
