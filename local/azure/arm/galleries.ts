import { textAt } from '../json.ts'
import type { Arm, ArmRequest } from './arm.ts'
import { type ArmAnswer, armError } from './armAnswer.ts'
import { page } from './page.ts'

/** Versions that every image of every gallery has. The newest does not count for `latest`, as in Azure after a rollback. */
const IMAGE_VERSIONS = ['202510.27.0', '202511.03.0', '202509.30.1', '202511.10.0'] as const
export const NEWEST_IMAGE_VERSION = '202511.03.0'
const LEFT_OUT = '202511.10.0'

/** A community gallery shows `excludeFromLatest` in the properties of a version, a shared gallery in the publishing profile. */
export function communityVersions(arm: Arm, request: ArmRequest): ArmAnswer {
  const list = IMAGE_VERSIONS.map((name) => ({
    name,
    location: arm.settings.location,
    properties: { excludeFromLatest: name === LEFT_OUT },
  }))
  return page(arm, request, list)
}

export function sharedVersions(arm: Arm, request: ArmRequest): ArmAnswer {
  const list = IMAGE_VERSIONS.map((name) => ({
    name,
    location: arm.settings.location,
    properties: { provisioningState: 'Succeeded', publishingProfile: { excludeFromLatest: name === LEFT_OUT } },
  }))
  return page(arm, request, list)
}

/** A shared gallery has no version `latest`: an image id without a version means the newest. A community gallery accepts `latest`. */
export function imageProblem(body: Record<string, unknown>): ArmAnswer | undefined {
  const id = textAt(body, 'properties.storageProfile.imageReference.id')
  if (id === undefined || !/\/galleries\/[^/]+\/images\/[^/]+\/versions\/latest$/i.test(id)) return undefined
  return armError(404, 'GalleryImageNotFound', `The gallery image ${id} is not available in the region. Please contact image owner.`)
}
