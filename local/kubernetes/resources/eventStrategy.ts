import { textAt } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import { type FieldError, invalid, required } from '../schema/fieldError.ts'
import { qualifiedNameProblem } from './nameRules.ts'
import type { Strategy } from './resource.ts'

const MOST_CHARACTERS = { reportingInstance: 128, action: 128, reason: 128, message: 1024 }

/**
 * The API server's rules for Events of the group core. An Event with `eventTime` is of the newer form: it must name its reporter and the action, and
 * its texts have limits. An Event without `eventTime` only has to be in the namespace of its object.
 */
export const eventStrategy: Strategy = {
  allowsCreateOnUpdate: true,
  nameRule: 'path',
  validate: (event) => (isTimed(event) ? timedErrors(event) : namespaceErrors(event, ['default'])),
}

function isTimed(event: KubeObject): boolean {
  return textAt(event, 'eventTime') !== ''
}

function timedErrors(event: KubeObject): readonly FieldError[] {
  const reporter = textAt(event, 'reportingComponent')
  const badReporter = qualifiedNameProblem(reporter)
  return [
    // An Event of the newer form may be in another namespace than its object, but not the Event of an object without a namespace.
    ...(textAt(event, 'involvedObject', 'namespace') === '' ? namespaceErrors(event, ['default', 'kube-system']) : []),
    ...(reporter === '' ? [required('reportingComponent')] : []),
    ...(badReporter === undefined ? [] : [invalid('reportingComponent', reporter, badReporter)]),
    ...(['reportingInstance', 'action', 'reason'] as const).flatMap((member) =>
      textAt(event, member) === '' ? [required(member)] : lengthErrors(event, member),
    ),
    ...lengthErrors(event, 'message'),
  ]
}

/** The limits of the API server are limits of bytes, although its message says characters. */
function lengthErrors(event: KubeObject, member: keyof typeof MOST_CHARACTERS): readonly FieldError[] {
  const most = MOST_CHARACTERS[member]
  return Buffer.byteLength(textAt(event, member)) <= most ? [] : [invalid(member, '', `can have at most ${most} characters`)]
}

function namespaceErrors(event: KubeObject, ofClusterObjects: readonly string[]): readonly FieldError[] {
  const own = textAt(event, 'metadata', 'namespace')
  const ofObject = textAt(event, 'involvedObject', 'namespace')
  const fits = ofObject === '' ? ofClusterObjects.includes(own) : own === ofObject
  return fits ? [] : [invalid('involvedObject.namespace', ofObject, 'does not match event.namespace')]
}
