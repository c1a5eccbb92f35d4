import type { LaunchCandidate } from '../../../model/launchPlan.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import { archOf } from '../sizes/archOf.ts'

/** Images for amd64 alone have the snapshotter. */
export function streamsArtifacts({ spec }: NodeClass, { instanceType }: LaunchCandidate): boolean {
  return spec.artifactStreaming === true && archOf(instanceType) === 'amd64'
}
