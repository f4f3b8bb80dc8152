import type { Example } from './example.ts';

/** Example operations for dashboards, one chart each. How far back they look is a variable. */
export function dashboardOperations(now: Date): Example[] {
  const month = (offset: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString();
  return [
    { title: 'LeadsPerWeek', label: 'Leads per week, by campaign', query: leadsPerWeek, variables: { last: '12w' } },
    {
      title: 'ConversationsPerDay',
      label: 'Conversations per day, in two time zones',
      query: conversationsPerDay,
      variables: aroundChange(now),
    },
    { title: 'UnansweredQuestions', label: 'Questions without an answer', query: unansweredQuestions },
    { title: 'Evaluations', label: 'Quality of answers', query: evaluations },
    {
      title: 'CostAndReplyTime',
      label: 'Cost and reply time',
      query: costAndReplyTime,
      variables: { from: month(0), to: month(1) },
    },
    { title: 'EmailsByChannel', label: 'Emails by channel', query: emailsByChannel, variables: { last: '12w' } },
    {
      title: 'Mentions',
      label: 'Conversations that mention a word',
      query: mentions,
      variables: { words: 'reembolso' },
    },
  ];
}

const dayMs = 86_400_000;
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Two weeks in which the clocks of New York change, or the last two weeks if that is longer ago than three months. */
function aroundChange(now: Date): { from: string; to: string } {
  const format = new Intl.DateTimeFormat('en', { timeZone: 'America/New_York', timeZoneName: 'longOffset' });
  const offsetAt = (time: number) => format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value;
  const end = (Math.floor(now.getTime() / dayMs) + 1) * dayMs;
  const days = Array.from({ length: 90 }, (_, ago) => end - (ago + 1) * dayMs);
  const change = days.find((day) => offsetAt(day) !== offsetAt(day - dayMs));
  const to = change ? Math.min(change + 7 * dayMs, end) : end;
  return { from: dateOf(to - 14 * dayMs), to: dateOf(to) };
}

const leadsPerWeek = `# Leads per week by campaign. Weeks without leads are groups too ("fill").
query LeadsPerWeek($last: String!) {
  leads(first: 0, filter: { createdAt: { last: $last, timeZone: "America/Sao_Paulo" } }) {
    totalCount
    groups(first: 100, orderBy: { field: by, direction: asc }) {
      totalCount
      nodes {
        by {
          week: createdAt(every: week, timeZone: "America/Sao_Paulo", fill: true) { from to partial }
          campaign: utm(key: "campaign")
        }
        count
        withEmail: count(filter: { hasEmail: true })
      }
    }
  }
}
`;

const conversationsPerDay = `# Conversations per agent and day in two time zones; a day has 23 or 25 hours when the clocks change.
query ConversationsPerDay($from: DateTime!, $to: DateTime!) {
  newYork: conversations(first: 0, filter: { createdAt: { from: $from, to: $to, timeZone: "America/New_York" } }) {
    groups(first: 100, orderBy: { field: by, direction: desc }) {
      totalCount
      nodes {
        by {
          day: createdAt(every: day, timeZone: "America/New_York", fill: true) { from to }
          agent { name }
        }
        count
      }
    }
  }
  saoPaulo: conversations(first: 0, filter: { createdAt: { from: $from, to: $to, timeZone: "America/Sao_Paulo" } }) {
    groups(first: 100, orderBy: { field: by, direction: desc }) {
      totalCount
      nodes {
        by {
          day: createdAt(every: day, timeZone: "America/Sao_Paulo", fill: true) { from to }
          agent { name }
        }
        count
      }
    }
  }
}
`;

const unansweredQuestions = `# The questions that agents most often could not answer, and where they were asked. A person's reply to one is a
# proposed answer, which the mutation answerGap adds to a knowledge base.
query UnansweredQuestions {
  gaps(first: 10, filter: { state: [open] }, orderBy: { field: count, direction: desc }) {
    totalCount
    nodes {
      question
      count
      lastAskedAt
      agent { name }
      proposedAnswer { text createdAt }
      questions(first: 3) {
        nodes { askedAt message { conversation { id title } } }
      }
    }
  }
}
`;

const evaluations = `# How well agents find what is expected, run by run, and which cases failed.
# createEvaluationCases makes cases of past questions, evaluateAgent starts a run.
query Evaluations {
  evaluationRuns(first: 5) {
    nodes {
      agent { name }
      createdAt
      status
      caseCount
      passedShare
      foundShare
      newlyFailingCount
      results(first: 10, filter: { passed: false }) {
        nodes { question expectedText rank answer newlyFailing }
      }
    }
  }
}
`;

const costAndReplyTime = `# What replies cost in USD and how long visitors waited for them, this month and the month before.
query CostAndReplyTime($from: DateTime!, $to: DateTime!) {
  messages(first: 0, filter: { role: [assistant], createdAt: { from: $from, to: $to } }) {
    groups(first: 100) {
      totalCount
      nodes {
        by { agent { name } model }
        sum { cost }
        p95 { replyTime }
        count
        previous { count sum { cost } p95 { replyTime } }
      }
      other { count sum { cost } }
    }
  }
}
`;

const emailsByChannel = `# Conversations that became leads, and how many of them left an email, by channel.
query EmailsByChannel($last: String!) {
  conversations(first: 0, filter: { hasLead: true, createdAt: { last: $last } }) {
    groups(first: 20) {
      totalCount
      nodes {
        by { channel { platform } }
        count
        withEmail: count(filter: { lead: { hasEmail: true } })
      }
    }
  }
}
`;

const mentions = `# Conversations that mention the words, best matches first, with an excerpt.
query Mentions($words: String!) {
  conversations(first: 10, search: $words) {
    totalCount
    edges {
      match { rank excerpt { text highlights { start end } } }
      node { id title status }
    }
  }
}
`;
