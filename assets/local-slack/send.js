const problem = document.getElementById('problem');

/** Tells the server what the person did. Resolves with whether it went well; says so on the page when it didn't. */
export async function send(what, body) {
  try {
    const response = await fetch(`/page/${what}${location.search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { error = '' } = await response.json();
    problem.textContent = error;
    return error === '';
  } catch {
    problem.textContent = 'The local Slack does not answer. Is it still running?';
    return false;
  }
}
