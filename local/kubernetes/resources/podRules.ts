import { ownValue } from '../../../shared/base/values.ts'
import { asText, isObject, type Json, type JsonObject, listAt, objectAt, textAt } from '../object/json.ts'
import { duplicate, type FieldError, invalid, notSupported, required } from '../schema/fieldError.ts'
import { LABEL_RULE, labelValueProblem, nameProblem, qualifiedNameProblem } from './nameRules.ts'

const QUANTITY = /^[+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/
const QUANTITY_RULE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** Checks the rules of a pod's spec that users break most: names, images, quantities, selectors, tolerations, policies. */
export function validatePodSpec(spec: JsonObject, path: string): FieldError[] {
  const containers = listAt(spec, 'containers')
  return [
    ...(containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...validateContainers(containers, `${path}.containers`),
    ...validateContainers(listAt(spec, 'initContainers'), `${path}.initContainers`),
    ...oneOf(spec, 'restartPolicy', ['Always', 'OnFailure', 'Never'], path),
    ...oneOf(spec, 'dnsPolicy', ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'], path),
    ...validateSelector(objectAt(spec, 'nodeSelector'), `${path}.nodeSelector`),
    ...listAt(spec, 'tolerations').flatMap((toleration, index) => validateToleration(toleration, `${path}.tolerations[${index}]`)),
    ...listAt(spec, 'topologySpreadConstraints').flatMap((item, index) =>
      validateSpread(item, `${path}.topologySpreadConstraints[${index}]`),
    ),
    ...validateGates(listAt(spec, 'schedulingGates'), `${path}.schedulingGates`),
  ]
}

function oneOf(spec: JsonObject, member: string, values: readonly string[], path: string): FieldError[] {
  const found = ownValue(spec, member)
  return found === undefined || values.includes(asText(found)) ? [] : [notSupported(`${path}.${member}`, found, [...values].sort())]
}

function validateContainers(containers: readonly Json[], path: string): FieldError[] {
  const seen = new Set<string>()
  return containers.flatMap((container, index) => {
    const here = `${path}[${index}]`
    const name = textAt(container, 'name')
    const errors: FieldError[] = []
    if (name === '') errors.push(required(`${here}.name`))
    else if (nameProblem(name, LABEL_RULE)) errors.push(invalid(`${here}.name`, name, nameProblem(name, LABEL_RULE) ?? ''))
    if (seen.has(name)) errors.push(duplicate(`${here}.name`, name))
    seen.add(name)
    if (textAt(container, 'image') === '') errors.push(required(`${here}.image`))
    if (isObject(container)) errors.push(...oneOf(container, 'imagePullPolicy', ['Always', 'IfNotPresent', 'Never'], here))
    return [...errors, ...validateResources(objectAt(container, 'resources'), `${here}.resources`)]
  })
}

function validateResources(resources: JsonObject, path: string): FieldError[] {
  return ['limits', 'requests'].flatMap((side) =>
    Object.entries(objectAt(resources, side)).flatMap(([name, value]) => {
      const text = asText(value)
      if (!QUANTITY.test(text)) return [invalid(`${path}.${side}[${name}]`, text, QUANTITY_RULE)]
      return text.startsWith('-') ? [invalid(`${path}.${side}[${name}]`, text, 'must be greater than or equal to 0')] : []
    }),
  )
}

function validateSelector(selector: JsonObject, path: string): FieldError[] {
  return Object.entries(selector).flatMap(([key, value]) => {
    const problem = qualifiedNameProblem(key)
    const bad = labelValueProblem(asText(value))
    return [...(problem ? [invalid(path, key, problem)] : []), ...(bad ? [invalid(path, asText(value), bad)] : [])]
  })
}

function validateToleration(toleration: Json, path: string): FieldError[] {
  if (!isObject(toleration)) return []
  const errors: FieldError[] = []
  const operator = textAt(toleration, 'operator') || 'Equal'
  const effect = textAt(toleration, 'effect')
  if (!['Equal', 'Exists'].includes(operator)) errors.push(notSupported(`${path}.operator`, operator, ['Equal', 'Exists']))
  if (textAt(toleration, 'key') === '' && operator !== 'Exists')
    errors.push(
      invalid(`${path}.operator`, operator, 'operator must be Exists when `key` is empty, which means "match all values and all keys"'),
    )
  if (operator === 'Exists' && textAt(toleration, 'value') !== '')
    errors.push(invalid(`${path}.operator`, textAt(toleration, 'value'), "value must be empty when `operator` is 'Exists'"))
  if (effect !== '' && !EFFECTS.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, [...EFFECTS].sort()))
  return errors
}

function validateSpread(constraint: Json, path: string): FieldError[] {
  const errors: FieldError[] = []
  const skew = isObject(constraint) ? constraint['maxSkew'] : undefined
  if (typeof skew !== 'number' || skew <= 0) errors.push(invalid(`${path}.maxSkew`, skew ?? 0, 'must be greater than zero'))
  if (textAt(constraint, 'topologyKey') === '') errors.push(required(`${path}.topologyKey`, 'can not be empty'))
  const action = textAt(constraint, 'whenUnsatisfiable')
  const actions = ['DoNotSchedule', 'ScheduleAnyway']
  if (!actions.includes(action)) errors.push(notSupported(`${path}.whenUnsatisfiable`, action, actions))
  return errors
}

function validateGates(gates: readonly Json[], path: string): FieldError[] {
  const seen = new Set<string>()
  return gates.flatMap((gate, index) => {
    const name = textAt(gate, 'name')
    const repeated = seen.has(name)
    seen.add(name)
    return repeated ? [duplicate(`${path}[${index}].name`, name)] : []
  })
}
