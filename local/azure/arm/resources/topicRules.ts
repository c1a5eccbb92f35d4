// Rules of Event Grid for system topics.
import { textAt } from '../../json.ts'
import type { Arm } from '../arm.ts'
import { type ArmAnswer, armError } from '../armAnswer.ts'
import type { Document } from '../armState.ts'
import type { ResourcePath } from './resourceId.ts'
import { documentsOf } from './roleRules.ts'

const SYSTEM_TOPIC = 'microsoft.eventgrid/systemtopics'

/**
 * A source has one system topic (Microsoft Learn, "System topics in Azure Event Grid", 2025; the text is that of MicrosoftDocs/azure-docs pull request
 * 97986, 2022-09, and TaoYang-Cloud/azure.policy.monitor issue 12, 2022-12). No source says whether topics of two types may share a source. The
 * emulator assumes the stricter case: they may not.
 */
export function systemTopicProblem(arm: Arm, path: ResourcePath, body: Record<string, unknown>, before: Document | undefined) {
  if (path.type.toLowerCase() !== SYSTEM_TOPIC) return undefined
  const source = textAt(body, 'properties.source') ?? ''
  // Azure/azure-quickstart-templates issue 13688, 2024-01.
  if (before !== undefined && sourceOf(before) !== plain(source)) return refused('System topic source cannot be modified.')
  const other = documentsOf(arm, SYSTEM_TOPIC).find(
    (each) => each.id.toLowerCase() !== path.id.toLowerCase() && sourceOf(each) === plain(source),
  )
  if (other === undefined) return undefined
  return refused(`There is an existing tracked system topic for the given source ${source}. Only one system topic is allowed per source.`)
}

const refused = (message: string): ArmAnswer => armError(400, 'InvalidRequest', message)
const sourceOf = (topic: Document): string => plain(textAt(topic, 'properties.source') ?? '')
const plain = (id: string): string => id.toLowerCase().replace(/\/$/, '')
