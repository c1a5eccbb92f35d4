import { type ClusterEvent, LONGEST_EVENT_MESSAGE } from '../model/decision.ts'
import { nodeClaimName } from '../model/ids.ts'
import { type ClusterLinks, machineLink, machineNamedLink, workbookLink } from '../model/portalLinks.ts'
import type { ClusterApi } from '../ports/clusterApi.ts'

/** Reasons of Events on a claim that speak of a machine that is there. */
const OF_MACHINES: ReadonlySet<string> = new Set(['Launched', 'Registered', 'Initialized'])

/** The same API, whose Events end with a link to where more is seen. Without links it is the API itself. */
export function withLinkedEvents<Api extends Pick<ClusterApi, 'publish'>>(api: Api, links: ClusterLinks | undefined): Api {
  return links === undefined ? api : { ...api, publish: (event: ClusterEvent, signal) => api.publish(linked(event, links), signal) }
}

/** What makes it the same Event as before stays; the text gives way where both would be too long, never the link. */
function linked(event: ClusterEvent, links: ClusterLinks): ClusterEvent {
  const { message, key = message } = event
  const link = linkOf(event, links)
  const room = LONGEST_EVENT_MESSAGE - link.length - 1
  if (room < SHORTEST_TEXT) return event
  const text = message.length <= room ? message : `${message.slice(0, room - 3)}...`
  return { ...event, key, message: `${text}\n${link}` }
}

/** A link that leaves less than this is worth less than the text. */
const SHORTEST_TEXT = 200

function linkOf({ subject, reason }: ClusterEvent, links: ClusterLinks): string {
  if (subject.kind === 'node') return machineNamedLink(links, subject.name)
  const isOfMachine = subject.kind === 'nodeClaim' && OF_MACHINES.has(reason)
  return isOfMachine ? machineLink(links, nodeClaimName(subject.name)) : workbookLink(links)
}
