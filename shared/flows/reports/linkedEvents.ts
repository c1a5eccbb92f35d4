import { cutText } from '../../base/cutText.ts'
import { linkOfReason, splitLink, withLink } from '../../model/conditionLinks.ts'
import { type ClusterEvent, LONGEST_EVENT_MESSAGE } from '../../model/decision.ts'
import { instanceNameOf, nodeClaimName } from '../../model/ids.ts'
import { type ClusterLinks, machineNamedLink, workbookLink } from '../../model/portalLinks.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'

/** The given API, with a link to more information at the end of each Event. Without `links`, the API itself. */
export function withLinkedEvents<Api extends Pick<ClusterApi, 'publish'>>(api: Api, links: ClusterLinks | undefined): Api {
  return links === undefined ? api : { ...api, publish: (event: ClusterEvent, ...rest) => api.publish(linked(event, links), ...rest) }
}

/** The Event with a link. Its key stays the same as without the link. If text and link are too long together, the text is cut, not the link. */
function linked(event: ClusterEvent, links: ClusterLinks): ClusterEvent {
  const { text, link = linkOf(event, links) } = splitLink(event.message)
  const { key = text } = event
  const room = LONGEST_EVENT_MESSAGE - link.length - 1
  if (room < SHORTEST_TEXT) return { ...event, message: text }
  return { ...event, key, message: withLink(cutText(text, room), link) }
}

/** If a link leaves fewer bytes than this for the text, the Event has no link. */
const SHORTEST_TEXT = 200

/** Reasons of Events about a node that joined. They link to the machine, because conditions show no more than the Event. */
const JOINED: ReadonlySet<string> = new Set(['Registered', 'Initialized'])

function linkOf({ subject, reason }: ClusterEvent, links: ClusterLinks): string {
  if (subject.kind === 'node') return machineNamedLink(links, subject.name)
  if (subject.kind !== 'nodeClaim') return workbookLink(links)
  const machine = instanceNameOf(nodeClaimName(subject.name), links.machineNames)
  if (JOINED.has(reason)) return machineNamedLink(links, machine)
  return linkOfReason(links, reason, { machine }) ?? workbookLink(links)
}
