"""Crawl plans: what a crawler finds that follows only the written plan, made by code alone and by the pack's agents."""
from .engine import example
from .figure import Figure


# The site of the tests, the same with authors that only a proposal of the strong model finds, and a documentation set as
# Debian installs it (git-doc): how each is told.
SITES = {"paper": "", "quiet": ", quiet paper", "manual": ", manual"}


def crawl():
    """The site of the tests: five kinds of lists, articles, and pages that a crawl has to leave alone."""
    measured = example("bench-crawl")
    of = f"of {measured['articles']}"
    return [
        Figure(f"crawl plan: share of articles found, {of}", measured["found"] / measured["articles"], least=1, is_count=True),
        Figure("crawl plan: found that are no articles", measured["others"], most=0, is_count=True),
        Figure(f"crawl plan: values read right, of {measured['values']}",
               measured["valuesRight"] / measured["values"], least=1, is_count=True),
        Figure("crawl plan: made in", measured["seconds"], "s"),
        Figure("crawl plan: requests to the site", measured["requests"]),
        *(figure for model in ["strong", "starter"] for site in sites(model) for figure in pack(model, site)),
    ]


def sites(model):
    """The starter model proposes nothing, so that one site of the two tells nothing more."""
    return [site for site in SITES if model == "strong" or site != "quiet"]


def pack(model, site):
    """The plan as the pack's six agents have it made."""
    measured = example("bench-crawl-pack", model, site)
    share = measured["valuesRight"] / measured["values"]
    model = f"{model}{SITES[site]}"
    return [
        Figure(f"crawl pack, {model}: share of articles found, of {measured['articles']}",
               measured["found"] / measured["articles"], least=1, is_count=True),
        Figure(f"crawl pack, {model}: selectors right, of {measured['values']} values", share, least=1, is_count=True),
        Figure(f"crawl pack, {model}: made in", measured["seconds"], "s"),
        Figure(f"crawl pack, {model}: tokens", measured["tokens"]),
        Figure(f"crawl pack, {model}: model calls", measured["modelCalls"]),
    ]
