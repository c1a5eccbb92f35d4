import * as z from 'zod'

/** azd drops a number that Go's `ParseInt` does not take, and the template takes its default (azd 1.31.2, pkg/infra/provisioning/bicep, 2026-11). */
export function wholeNumber(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}, without other characters: azd drops what is none without a message`
  return z
    .string()
    .regex(/^\d{1,10}$/, rule)
    .transform(Number)
    .pipe(z.int().min(least, rule).max(most, rule))
}

/** An id of a resource of this type, or empty for a new one. */
export function resourceIds(type: string, what: string) {
  const id = new RegExp(
    `^(/subscriptions/[^/\\s"\\\\]+/resourceGroups/[^/\\s"\\\\]+/providers/${type.replace('.', '\\.')}/[^/\\s"\\\\]+)?$`,
    'i',
  )
  return z.string().regex(id, `must be the resource id of ${what}`)
}

const SUBNET = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.Network\/virtualNetworks\/[^/]+\/subnets\/[^/]+$/i
const subnetId = z.string().regex(SUBNET, 'must be the resource id of a subnet')

export const subnets = z.strictObject({ app: subnetId, endpoints: subnetId.optional() }).nullable()

const LARGEST_PREFIX = 25

/** The template cuts two subnets out of it. */
export const workspaceRange = z
  .cidrv4('must be a range of IPv4 addresses')
  .refine((text) => Number(text.split('/')[1]) <= LARGEST_PREFIX, `must be at least a /${LARGEST_PREFIX}`)

/** Azure takes 50 tags; the templates have two. Names are bounded by storage accounts (Azure docs, "Use tags to organize resources", 2026). */
export const tags = z
  .record(
    z.string().regex(/^[^<>%&\\?/]{1,128}$/, 'a name has 1 to 128 characters, without < > % & \\ ? and /'),
    z.string('must be a text').max(256),
  )
  .refine((all) => Object.keys(all).length <= 48, 'Azure takes 50 tags, of which the templates need two')

export const registryName = z
  .string()
  .regex(
    /^[a-z0-9]{5,50}$/i,
    'must be the name of an Azure container registry, of 5 to 50 letters and digits: not the address of its server',
  )

/** Name, tag and digest, as registries take them (OCI Distribution Specification 1.1). */
export const shimImage = z
  .string()
  .regex(
    /^[a-zA-Z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)*(:\w[\w.-]{0,127})?(@sha256:[0-9a-f]{64})?$/,
    'must be an image as repository[:tag][@sha256:digest]',
  )
