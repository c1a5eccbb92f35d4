import { type BinarySource, CACHE, isBuilt, RELEASES, releaseName } from '../../local/controlplane/binaries.ts'

/** A version of Kubernetes that the planner is compared with. */
export type PlayedRelease = {
  /** The name of the release, and why it is skipped. */
  readonly title: string
  readonly isBuilt: boolean
  readonly source: BinarySource
}

/** The pinned versions of Kubernetes. The tests skip a version whose programs are not built. */
export const PLAYED_RELEASES: readonly PlayedRelease[] = RELEASES.map((release) => {
  const source: BinarySource = { release, assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE, say: () => undefined }
  const built = isBuilt(source)
  const option = release === 'previous' ? ' --previous' : ''
  const why = built ? '' : ` (skipped: not built; npm run controlplane -- --build-only${option})`
  return { title: `${release} Kubernetes, ${releaseName(source)}${why}`, isBuilt: built, source }
})
