import type { LaunchCandidate } from '../../../model/instance.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import { archOf } from '../sizes/archOf.ts'

/** Reports whether the node uses artifact streaming. Only images for amd64 have the snapshotter. */
export function streamsArtifacts({ spec }: NodeClass, { instanceType }: LaunchCandidate): boolean {
  return spec.artifactStreaming === true && archOf(instanceType) === 'amd64'
}
