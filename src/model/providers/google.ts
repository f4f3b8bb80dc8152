import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelSettings } from '../../config/models.ts';
import { isObject, parsedJson } from '../../core/json.ts';
import { tolerantFetch } from './tolerant-fetch.ts';
import {
  errorIn,
  type Json,
  messageOfError,
  numberIn,
  numbersIn,
  objectOr,
  objectsIn,
  textIn,
  type Wire,
} from './wire.ts';

/** A model served by Google's generateContent. */
export function googleModel({ baseUrl, model, apiKey, headers = {} }: ModelSettings): LanguageModelV4 {
  // The SDK reads environment variables for any option left out.
  const baseURL = baseUrl ?? 'https://generativelanguage.googleapis.com/v1beta';
  return createGoogleGenerativeAI({ baseURL, apiKey: apiKey ?? '', headers, fetch: tolerantFetch(googleWire) })(model);
}

/** The responses of Google's generateContent, streamed or not. */
const googleWire: Wire = {
  event(given) {
    const error = errorIn(given);
    if (error) {
      const { code, status } = error;
      return { error: { code: numberIn(code) ?? null, message: messageOfError(error), status: textIn(status) ?? '' } };
    }
    const candidates = objectsIn(given.candidates).map(candidateIn);
    const usageMetadata = numbersIn(given.usageMetadata);
    const blockReason = textIn(objectOr(given.promptFeedback).blockReason);
    if (candidates.length === 0 && !usageMetadata && !blockReason) return null;
    return { candidates, usageMetadata, ...(blockReason && { promptFeedback: { blockReason } }) };
  },
  whole: (given) => googleWire.event(given) ?? given,
  events: (given) => [googleWire.event(given)],
};

function candidateIn({ content, finishReason, finishMessage }: Json): Json {
  const parts = objectsIn(objectOr(content).parts).flatMap((part) => partIn(part) ?? []);
  return {
    content: { parts },
    finishReason: textIn(finishReason),
    finishMessage: textIn(finishMessage),
  };
}

function partIn({ text, thought, thoughtSignature, functionCall, inlineData }: Json): Json | null {
  const more = {
    ...(typeof thought === 'boolean' && { thought }),
    ...(typeof thoughtSignature === 'string' && { thoughtSignature }),
  };
  if (isObject(functionCall)) {
    const { id, name, args } = functionCall;
    return { functionCall: { id: textIn(id), name: textIn(name), args: readArguments(args) }, ...more };
  }
  if (isObject(inlineData)) return { inlineData, ...more };
  const words = textIn(text);
  return words === undefined ? null : { text: words, ...more };
}

const readArguments = (value: unknown): unknown =>
  typeof value === 'string' ? (parsedJson(value) ?? value) : (value ?? {});
