from django.template.loader import get_template


def test_pages_are_sent_without_the_indentation_of_their_source():
    source = get_template("account/logout.html").template.source

    assert '\n<div class="card">' in source
    assert "\n " not in source
