import { linkOfReason, splitLink, withLink } from '../../model/conditionLinks.ts'
import { type ClusterEvent, LONGEST_EVENT_MESSAGE } from '../../model/decision.ts'
import { instanceNameOf, nodeClaimName } from '../../model/ids.ts'
import { type ClusterLinks, machineNamedLink, workbookLink } from '../../model/portalLinks.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'

/** The same API, whose Events end with a link to where more is seen. Without links it is the API itself. */
export function withLinkedEvents<Api extends Pick<ClusterApi, 'publish'>>(api: Api, links: ClusterLinks | undefined): Api {
  return links === undefined ? api : { ...api, publish: (event: ClusterEvent, ...rest) => api.publish(linked(event, links), ...rest) }
}

/** What makes it the same Event as before stays; the text gives way where both would be too long, never the link. */
function linked(event: ClusterEvent, links: ClusterLinks): ClusterEvent {
  const { text, link = linkOf(event, links) } = splitLink(event.message)
  const { key = text } = event
  const room = LONGEST_EVENT_MESSAGE - link.length - 1
  if (room < SHORTEST_TEXT) return { ...event, message: text }
  return { ...event, key, message: withLink(text.length <= room ? text : `${text.slice(0, room - 3)}...`, link) }
}

/** A link that leaves less than this is worth less than the text. */
const SHORTEST_TEXT = 200

/** What an Event says of a node that came up. Its conditions say no more than that. */
const JOINED: ReadonlySet<string> = new Set(['Registered', 'Initialized'])

function linkOf({ subject, reason }: ClusterEvent, links: ClusterLinks): string {
  if (subject.kind === 'node') return machineNamedLink(links, subject.name)
  if (subject.kind !== 'nodeClaim') return workbookLink(links)
  const machine = instanceNameOf(nodeClaimName(subject.name), links.machineNames)
  if (JOINED.has(reason)) return machineNamedLink(links, machine)
  return linkOfReason(links, reason, { machine }) ?? workbookLink(links)
}
