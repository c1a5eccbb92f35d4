import type { Reply } from '../http/reply.ts'
import type { ResourceCall, ResourceDeps } from '../http/resourceHandler.ts'
import { notImplemented } from '../http/statusError.ts'

/** Answers subresources other than status. */
export function handleSubresource(_deps: ResourceDeps, call: ResourceCall): Reply {
  throw notImplemented(`${call.target.resource.plural}/${call.target.subresource}`)
}
